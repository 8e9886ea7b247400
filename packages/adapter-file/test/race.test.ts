import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import type { OperationName } from '../src/index.ts'
import { withFixture } from './child.ts'
import { inWorkspace, type Workspace } from './host.ts'

const reads = process.env['CI'] ? 100_000 : 10_000
const others = process.env['CI'] ? 5000 : 500

/** Outcomes of calls while a folder `d` of the root is exchanged with a link to the folder outside all the time. */
async function raced(
  workspace: Workspace,
  count: number,
  operation: OperationName,
  args: (round: number) => { readonly [name: string]: unknown },
): Promise<{ readonly texts: readonly string[]; readonly rules: ReadonlySet<string | undefined> }> {
  const { root, outside, call } = workspace
  mkdirSync(join(root, 'd'))
  for (const folder of [join(root, 'd'), outside]) {
    writeFileSync(join(folder, 'file'), folder === outside ? 'SECRET outside' : 'inside')
    mkdirSync(join(folder, 'sub'))
    writeFileSync(join(folder, 'sub', folder === outside ? 'SECRET-name' : 'name'), 'x')
  }
  symlinkSync(outside, join(root, 'link'))
  const texts = new Set<string>()
  const rules = new Set<string | undefined>()
  await withFixture('swap-folder.ts', [root], async (child) => {
    for (let round = 0; round < count; round += 1) {
      try {
        texts.add(JSON.stringify(await call(operation, args(round))))
      } catch (error) {
        rules.add((error as { readonly rule?: string }).rule)
      }
    }
    expect(child.exitCode).toBe(null)
  })
  return { texts: [...texts], rules }
}

describe.skipIf(process.platform !== 'linux')('while a folder is exchanged with a link', () => {
  it(
    `nothing from outside is read in ${reads} reads`,
    () =>
      inWorkspace(async (workspace) => {
        const { texts, rules } = await raced(workspace, reads, 'read', () => ({ path: 'd/file' }))
        expect(texts.filter((text) => text.includes('SECRET'))).toEqual([])
        expect(texts.length).toBeGreaterThan(0)
        expect(rules).toContain('symlink')
      }),
    300_000,
  )

  it(
    'nothing is written outside',
    () =>
      inWorkspace(async (workspace) => {
        const args = (round: number): object => ({ path: `d/new/${round % 7}`, content: 'x' })
        await raced(workspace, others, 'write', (round) => ({ ...args(round) }))
        expect(readdirSync(workspace.outside).toSorted()).toEqual(['file', 'sub'])
      }),
    120_000,
  )

  it(
    'nothing outside is deleted',
    () =>
      inWorkspace(async (workspace) => {
        await raced(workspace, others, 'delete', () => ({ path: 'd/sub', recursive: true }))
        expect(existsSync(join(workspace.outside, 'sub', 'SECRET-name'))).toBe(true)
      }),
    120_000,
  )

  it.each<[OperationName, object]>([
    ['list', { path: '.', depth: 5 }],
    ['glob', { glob: '**' }],
    ['search', { pattern: 'SECRET' }],
    ['stat', { path: 'd/file' }],
  ])(
    '%s shows nothing from outside',
    (operation, args) =>
      inWorkspace(async (workspace) => {
        const count = operation === 'list' || operation === 'stat' ? others : others / 10
        const { texts } = await raced(workspace, count, operation, () => ({ ...args }))
        expect(texts.filter((text) => /SECRET|outside/.test(text))).toEqual([])
      }),
    120_000,
  )
})

describe.skipIf(process.platform !== 'linux')('while a file is replaced by renaming', () => {
  it.each<[OperationName, object, number]>([
    ['read', { path: 'd/file' }, reads],
    ['stat', { path: 'd/file' }, reads],
    ['copy', { from: 'd/file', to: 'copy', overwrite: true }, others],
  ])(
    '%s finds it each time',
    (operation, args, count) =>
      inWorkspace(async ({ put, at, call }) => {
        put('d/file', 'inside')
        const errors: unknown[] = []
        await withFixture('replace-file.ts', [at('d')], async (child) => {
          for (let round = 0; round < count; round += 1) {
            // oxlint-disable-next-line no-await-in-loop -- each call meets another moment
            await call(operation, { ...args }).catch((error: unknown) => errors.push(error))
          }
          expect(child.exitCode).toBe(null)
        })
        expect(errors).toEqual([])
      }),
    300_000,
  )

  it(
    'and now and then by a link, nothing from outside is read',
    () =>
      inWorkspace(async ({ outside, put, at, call }) => {
        const secret = join(outside, 'secret')
        writeFileSync(secret, 'SECRET outside')
        put('d/file', 'inside')
        const texts = new Set<string>()
        const rules = new Set<unknown>()
        await withFixture('replace-file.ts', [at('d'), secret], async (child) => {
          for (let round = 0; round < reads; round += 1) {
            try {
              texts.add(JSON.stringify(await call('read', { path: 'd/file' })))
            } catch (error) {
              rules.add((error as { readonly rule?: string }).rule)
            }
          }
          expect(child.exitCode).toBe(null)
        })
        expect([...texts].filter((text) => text.includes('SECRET'))).toEqual([])
        expect(texts.size).toBeGreaterThan(0)
        expect([...rules].filter((rule) => rule !== 'symlink')).toEqual([])
      }),
    300_000,
  )
})
