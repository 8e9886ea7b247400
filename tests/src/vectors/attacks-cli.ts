import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'

import { cliAdapter, type CliResult } from '@callgate/adapter-cli'
import { createGateway, type Gateway } from '@callgate/core'
import {
  CallgateError,
  type JsonSchema,
  type ToolDefinition,
  type ToolResult,
} from '@callgate/spec'

import type { AttackVector } from './attacks.ts'

/** The declaration of a program in the words of the vectors: `params` hold the schema and the facts of the adapter. */
export interface CliAttackTool {
  readonly command: string
  readonly args_template: unknown
  readonly params?: { readonly [name: string]: { readonly [word: string]: unknown } }
  readonly working_dir?: string
  readonly allow_commands?: readonly string[]
  readonly env?: { readonly [name: string]: string }
}

type CliAttack = AttackVector & { readonly tool: CliAttackTool }

/** The folders of one vector. */
interface Ground {
  readonly root: string
  readonly outside: string
  readonly programs: string
  remove(): void
}

/** Runs one vector through a gateway; gives back what differs from what must be. */
export async function runCliAttack(raw: CliAttack): Promise<readonly string[]> {
  const ground = prepareGround(raw.tool)
  const vector = placed(raw, ground)
  const { allow_commands: programs } = vector.tool
  const gateway = createGateway({
    adapters: [
      cliAdapter({
        runner: false,
        workspace: ground.root,
        path: [ground.programs, process.env['PATH'] ?? ''].join(delimiter),
        ...(programs === undefined ? {} : { programs }),
      }),
    ],
    secrets: () => undefined,
  })
  try {
    await gateway.start()
    const differences = await attack(vector, gateway)
    const left = readdirSync(ground.outside).join()
    return left === 'secret' ? differences : [...differences, `outside the root: ${left}`]
  } finally {
    await gateway.close()
    ground.remove()
  }
}

async function attack(vector: CliAttack, gateway: Gateway): Promise<readonly string[]> {
  try {
    gateway.registry.add(toolOf(vector.tool))
  } catch (error) {
    if (!CallgateError.isInstance(error)) throw error
    return refusal(vector, error.rule ?? 'none')
  }
  if (vector.input === null && vector.raw_json === undefined) return ['was registered']
  const result = await gateway.dispatch({
    name: 'local::attack',
    arguments: vector.raw_json ?? vector.input,
  })
  return result.status === 'ok' ? ran(vector, result) : refusal(vector, ruleOf(result))
}

function ran(vector: CliAttack, { data }: ToolResult): readonly string[] {
  const mayRun = vector.must !== 'refuse' || vector.also_ok?.startsWith('allow') === true
  if (!mayRun) return ['was not refused']
  const [path = '', ...args] = JSON.parse((data as CliResult).stdout) as string[]
  const argv = JSON.stringify([basename(path), ...args])
  const expected = JSON.stringify(vector.expect_argv)
  return expected === undefined || expected === argv ? [] : [`ran ${argv} instead of ${expected}`]
}

function refusal(vector: CliAttack, rule: string): readonly string[] {
  if (vector.must !== 'refuse') return [`refused by ${rule}`]
  return rule === vector.rule ? [] : [`rule ${rule} instead of ${vector.rule}`]
}

/** A fault of the arguments is named by the word of the schema that it breaks. */
function ruleOf({ error }: ToolResult): string {
  const constraint = error?.fields?.[0]?.constraint
  if (constraint === 'additionalProperties') return 'unknown-param'
  return error?.rule ?? constraint ?? error?.code ?? 'none'
}

/** A root, a folder beside it with a secret, and stand-ins of all programs, which print how they were called. */
function prepareGround({ command, allow_commands: allowed = [] }: CliAttackTool): Ground {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'callgate-attacks-')))
  const [root, outside, programs] = ['root', 'out', 'bin'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [root, outside, programs]) mkdirSync(path)
  writeFileSync(join(outside, 'secret'), 'SECRET')
  const code = `#!${process.execPath}\nconsole.log(JSON.stringify(process.argv.slice(1)))\n`
  for (const name of new Set([...allowed, basename(command)])) {
    writeFileSync(join(programs, name), code, { mode: 0o755 })
  }
  return { root, outside, programs, remove: () => rmSync(folder, { recursive: true }) }
}

/** Puts the folders into a vector and makes its long texts. */
function placed(vector: CliAttack, { root, outside }: Ground): CliAttack {
  const text = JSON.stringify(vector).replaceAll('<ROOT>', root).replaceAll('<OUT>', outside)
  return JSON.parse(text, (_, value: unknown) => {
    const made = value as { readonly $gen?: unknown; readonly s: string; readonly n: number } | null
    return typeof made === 'object' && made?.$gen === 'repeat' ? made.s.repeat(made.n) : value
  }) as CliAttack
}

function toolOf(tool: CliAttackTool): ToolDefinition {
  const { command, args_template: argsTemplate, working_dir: workingDir, env } = tool
  return {
    namespace: 'local',
    name: 'attack',
    description: 'A program under attack.',
    parameters: parametersOf(tool),
    backend: {
      adapter: 'cli',
      command,
      argsTemplate,
      ...(workingDir === undefined ? {} : { workingDir }),
      ...(env === undefined ? {} : { env }),
      arguments: rulesOf(tool),
    },
  }
}

/** Facts that are the adapter's and no words of JSON Schema. */
const factNames: { readonly [word: string]: string } = {
  kind: 'kind',
  schemes: 'schemes',
  option_value: 'optionValue',
  deny_prefix: 'denyPrefix',
}

function parametersOf({ params = {} }: CliAttackTool): JsonSchema {
  const schemas = Object.entries(params).map(([name, words]) => {
    const schema = Object.entries(words).filter(([word]) => !Object.hasOwn(factNames, word))
    return [name, Object.fromEntries(schema)] as const
  })
  return {
    type: 'object',
    properties: Object.fromEntries(schemas),
    required: Object.keys(params),
    additionalProperties: false,
  }
}

function rulesOf({ params = {} }: CliAttackTool): object {
  const rules = Object.entries(params).map(([name, words]) => {
    const facts = Object.entries(words).flatMap(([word, value]) => {
      const fact = Object.hasOwn(factNames, word) ? factNames[word] : undefined
      return fact === undefined ? [] : [[fact, value] as const]
    })
    return [name, Object.fromEntries(facts)] as const
  })
  return Object.fromEntries(rules)
}
