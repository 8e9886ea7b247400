import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'

import { cliAdapter } from '@callgate/adapter-cli'
import { createGateway, type Gateway } from '@callgate/core'
import type { JsonSchema, ToolDefinition } from '@callgate/spec'

import type { AttackVector } from './attacks.ts'
import { judgeRefusal, refusedAtLoad, refusedCall } from './refusal.ts'

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
  /** The argument vector of the program that was started; undefined: none was. */
  started(): readonly string[] | undefined
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
    const differences = await attack(vector, gateway, ground)
    const left = readdirSync(ground.outside).join()
    return left === 'secret' ? differences : [...differences, `outside the root: ${left}`]
  } finally {
    await gateway.close()
    ground.remove()
  }
}

async function attack(
  vector: CliAttack,
  gateway: Gateway,
  ground: Ground,
): Promise<readonly string[]> {
  const refused = refusedAtLoad(() => gateway.registry.add(toolOf(vector.tool)))
  if (refused !== undefined) return judgeRefusal(vector, refused)
  if (vector.input === null && vector.raw_json === undefined) return ['was registered']
  const result = await gateway.dispatch({
    name: 'local::attack',
    arguments: vector.raw_json ?? vector.input,
  })
  const started = ground.started()
  // What the program made of it does not matter, once it was started as it must be.
  return started === undefined ? judgeRefusal(vector, refusedCall(result)) : ran(vector, started)
}

function ran(vector: CliAttack, [path = '', ...args]: readonly string[]): readonly string[] {
  const mayRun = vector.must !== 'refuse' || vector.also_ok?.startsWith('allow') === true
  if (!mayRun) return ['was not refused']
  const argv = JSON.stringify([basename(path), ...args])
  const expected = JSON.stringify(vector.expect_argv)
  return expected === undefined || expected === argv ? [] : [`ran ${argv} instead of ${expected}`]
}

/** A root, a folder beside it with a secret, and a folder in which each program records how it is called and then runs. */
function prepareGround({ command, allow_commands: allowed = [] }: CliAttackTool): Ground {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'callgate-attacks-')))
  const place = (name: string): string => join(folder, name)
  for (const name of ['root', 'out', 'bin']) mkdirSync(place(name))
  writeFileSync(join(place('out'), 'secret'), 'SECRET')
  for (const name of new Set([...allowed, basename(command)])) {
    const code = recorder(place('started'), realProgram(name))
    writeFileSync(join(place('bin'), name), code, { mode: 0o755 })
  }
  return {
    root: place('root'),
    outside: place('out'),
    programs: place('bin'),
    started: () =>
      existsSync(place('started'))
        ? (JSON.parse(readFileSync(place('started'), 'utf8')) as string[])
        : undefined,
    remove: () => rmSync(folder, { recursive: true }),
  }
}

/** A program that writes down its arguments and runs the real one, where that is on this machine. */
function recorder(record: string, real: string | undefined): string {
  const run =
    real === undefined
      ? ''
      : `const { status } = require('node:child_process').spawnSync(${JSON.stringify(real)}, process.argv.slice(2), { stdio: 'inherit' })
process.exitCode = status ?? 1`
  return `#!${process.execPath}
require('node:fs').writeFileSync(${JSON.stringify(record)}, JSON.stringify(process.argv.slice(1)))
${run}
`
}

function realProgram(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
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
