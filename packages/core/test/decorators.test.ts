import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runInThisContext } from 'node:vm'

import { transform } from 'esbuild'
import { build } from 'tsup'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import * as core from '../src/index.ts'
import { twinsOf } from './fixtures/decorated/twins.ts'
import { gatewayOf } from './tools.ts'

const source = `${import.meta.dirname}/fixtures/decorated/notes.ts`
const run = promisify(execFile)
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callgate-decorated-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Each compiles the fixture to a CommonJS module that takes `@callgate/core` by `require`. */
const compilers: readonly (readonly [name: string, compile: () => Promise<string>])[] = [
  [
    'tsc',
    async () => {
      const tsc = new URL(import.meta.resolve('typescript/package.json')).pathname
      const out = join(folder, 'tsc')
      const options = [
        '--ignoreConfig',
        '--target',
        'es2022',
        '--module',
        'commonjs',
        '--outDir',
        out,
      ]
      // Types are looked at elsewhere: only what is written counts here.
      await run(process.execPath, [join(tsc, '../bin/tsc'), ...options, '--noCheck', source]).catch(
        () => {},
      )
      return readFile(join(out, 'notes.js'), 'utf8')
    },
  ],
  [
    'esbuild',
    async () => {
      const text = await readFile(source, 'utf8')
      return (await transform(text, { loader: 'ts', target: 'es2022', format: 'cjs' })).code
    },
  ],
  [
    'tsup',
    async () => {
      const outDir = join(folder, 'tsup')
      await build({
        entry: [source],
        outDir,
        format: ['cjs'],
        target: 'es2022',
        external: ['@callgate/core'],
        config: false,
        silent: true,
        outExtension: () => ({ js: '.cjs' }),
      })
      return readFile(join(outDir, 'notes.cjs'), 'utf8')
    },
  ],
]

interface Compiled {
  Notes: new (prefix?: string) => { read(args: { id: number }): string }
}

function load(code: string): Compiled {
  const module = { exports: {} as Compiled }
  const wrapped = runInThisContext(`(function (module, exports, require) {${code}\n})`) as (
    ...given: unknown[]
  ) => void
  wrapped(module, module.exports, () => core)
  return module.exports
}

describe.each(compilers)('decorated methods compiled by %s', { timeout: 60_000 }, (_, compile) => {
  it('are the tools that their plain twins are, and do what those do', async () => {
    const { Notes } = load(await compile())
    const owner = new Notes('memo')
    const decorated = core.toolsOf(owner)
    const twins = twinsOf('memo')
    const said = (tools: readonly core.FunctionTool[]) =>
      tools.map(({ execute: __, ...definition }) => definition)
    expect(said(decorated)).toEqual(said(twins))
    for (const [name, args] of [
      ['notes__read', '{"id": "7"}'],
      ['notes__read', '{}'],
      ['notes__list', '{}'],
      ['notes__count', '{}'],
    ] as const) {
      const [ours, theirs] = await Promise.all(
        [decorated, twins].map((tools) => gatewayOf(tools).dispatch({ name, arguments: args })),
      )
      expect([ours?.status, ours?.data, ours?.error]).toEqual([
        theirs?.status,
        theirs?.data,
        theirs?.error,
      ])
    }
    expect(core.toolsOf(new Notes('other'))).toHaveLength(3)
    owner.read = () => 'replaced'
    const { data } = await gatewayOf(decorated).dispatch({
      name: 'notes__read',
      arguments: { id: 1 },
    })
    expect(data).toBe('replaced')
  })
})

it('an object without decorated methods has no tools', () => {
  expect(core.toolsOf({})).toEqual([])
})
