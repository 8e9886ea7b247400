import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'

import { InvalidToolError, ToolError, type ToolDefinition } from '@callgate/spec'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { cliAdapter, type ArgumentRule } from '../src/index.ts'
import { call, withInstance } from './host.ts'

/** The corpus says `params`, which hold a schema and the facts of `arguments` in one. */
interface Vector {
  readonly id: string
  readonly why: string
  readonly tool: {
    readonly command: string
    readonly args_template: unknown
    readonly params?: { readonly [name: string]: Readonly<Record<string, unknown>> }
    readonly working_dir?: string
    readonly allow_commands?: readonly string[] | 'usual'
    readonly env?: Readonly<Record<string, string>>
  }
  readonly input: Readonly<Record<string, unknown>> | null
  readonly must: 'refuse' | 'allow' | 'allow-as-literal'
  readonly also_ok?: string
  readonly rule: string
  readonly stage?: 'load'
  readonly expect_argv?: readonly string[]
  readonly raw_json?: string
}

const corpus = JSON.parse(
  readFileSync(new URL('fixtures/attacks.json', import.meta.url), 'utf8'),
) as { readonly allow_commands: readonly string[]; readonly vectors: readonly Vector[] }

let folder: string
let root: string
let outside: string
let programs: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'callgate-attacks-'))
  root = join(folder, 'root')
  outside = join(folder, 'out')
  programs = join(folder, 'bin')
  for (const path of [root, outside, programs]) mkdirSync(path)
  writeFileSync(join(outside, 'secret'), 'SECRET')
  // Every program of the corpus is a stand-in that prints how it was called.
  const names = new Set([...corpus.allow_commands, 'sh', 'bash', 'rm', 'deploy.bat'])
  for (const name of names) {
    const code = `#!${process.execPath}\nconsole.log(JSON.stringify(process.argv.slice(1)))\n`
    writeFileSync(join(programs, name), code, { mode: 0o755 })
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('the attack corpus', () => {
  // What the schema alone says is checked by the gateway before an adapter is called.
  const vectors = corpus.vectors.filter(({ rule }) => rule !== 'pattern')
  it.each(vectors.map((vector) => [vector.id, vector.why, vector] as const))(
    '%s: %s',
    async (_id, _why, raw) => {
      const vector = place(raw)
      expect(verdictOf(vector, await run(vector))).toBe('as it must be')
      expect(readdirSync(outside)).toEqual(['secret'])
    },
  )
})

type Outcome =
  | { readonly kind: 'refused'; readonly rule: string | undefined }
  | { readonly kind: 'ran'; readonly argv: readonly string[] }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'wrong'; readonly what: string }

function verdictOf(vector: Vector, outcome: Outcome): string {
  const mayRun = `${vector.must} ${vector.also_ok}`.includes('allow')
  if (outcome.kind === 'ran' && mayRun) {
    const { argv } = outcome
    const wanted = JSON.stringify(vector.expect_argv ?? argv)
    return wanted === JSON.stringify(argv) ? 'as it must be' : `ran with ${JSON.stringify(argv)}`
  }
  const isRight =
    outcome.kind === 'refused' && vector.must === 'refuse' && outcome.rule === vector.rule
  return isRight ? 'as it must be' : JSON.stringify(outcome)
}

async function run(vector: Vector): Promise<Outcome> {
  const { tool } = vector
  const allowed = tool.allow_commands === 'usual' ? corpus.allow_commands : tool.allow_commands
  const bound = cliAdapter({
    workspace: root,
    runner: false,
    path: [programs, process.env['PATH'] ?? ''].join(delimiter),
    ...(allowed === undefined ? {} : { programs: allowed }),
  })
  return withInstance(bound, async (instance) => {
    const definition = definitionOf(vector)
    try {
      instance.accept?.(definition)
    } catch (error) {
      if (!(error instanceof InvalidToolError)) throw error
      if (!error.hint) return { kind: 'wrong', what: 'no hint' }
      return { kind: 'refused', rule: error.rule }
    }
    if (vector.stage === 'load') return { kind: 'accepted' }
    const input = vector.raw_json === undefined ? vector.input : JSON.parse(vector.raw_json)
    try {
      const { data } = await call(instance, definition, input as Record<string, unknown>)
      const [path = '', ...args] = JSON.parse((data as { stdout: string }).stdout) as string[]
      return { kind: 'ran', argv: [basename(path), ...args] }
    } catch (error) {
      if (!ToolError.isInstance(error)) throw error
      const isGuard = error.code === 'guard_refused' && error.started === 'no'
      return isGuard ? { kind: 'refused', rule: error.rule } : { kind: 'wrong', what: error.code }
    }
  })
}

function definitionOf({ tool }: Vector): ToolDefinition {
  const properties: Record<string, object> = {}
  const rules: Record<string, ArgumentRule> = {}
  for (const [name, facts] of Object.entries(tool.params ?? {})) {
    const { kind, schemes, option_value: optionValue, deny_prefix: denyPrefix, ...schema } = facts
    properties[name] = schema
    const rule = { kind, schemes, optionValue, denyPrefix }
    rules[name] = Object.fromEntries(
      Object.entries(rule).filter(([, value]) => value !== undefined),
    ) as ArgumentRule
  }
  return {
    namespace: 'local',
    name: 'probe',
    description: 'A tool of the corpus.',
    parameters: { type: 'object', properties, required: Object.keys(properties) },
    backend: {
      adapter: 'cli',
      command: tool.command,
      argsTemplate: tool.args_template,
      ...(tool.working_dir === undefined ? {} : { workingDir: tool.working_dir }),
      ...(tool.env === undefined ? {} : { env: tool.env }),
      arguments: rules,
    },
  }
}

/** Replaces the folders of the corpus and makes long texts. */
function place(vector: Vector): Vector {
  const text = JSON.stringify(vector).replaceAll('<ROOT>', root).replaceAll('<OUT>', outside)
  return JSON.parse(text, (_key, value: unknown) => {
    const made = value as { readonly $gen?: string; readonly s: string; readonly n: number } | null
    return typeof made === 'object' && made?.$gen === 'repeat' ? made.s.repeat(made.n) : value
  }) as Vector
}
