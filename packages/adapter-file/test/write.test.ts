import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it, vi } from 'vitest'

import { fileAdapter, type ReadResult, type StatResult, type WriteResult } from '../src/index.ts'
import { withFixture } from './child.ts'
import { inWorkspace, started } from './host.ts'

const parallelWrites = process.env['CI'] ? 10_000 : 1000
const kills = process.env['CI'] ? 20 : 4

describe('write', () => {
  it('makes a file and its folders, and gives the hash that read gives', () =>
    inWorkspace(async ({ data }) => {
      const written = await data<WriteResult>('write', { path: 'a/b/c.txt', content: 'text 行' })
      expect(written).toMatchObject({ path: 'a/b/c.txt', size: 8, created: true })
      const read = await data<ReadResult>('read', { path: 'a/b/c.txt' })
      expect(read).toMatchObject({ text: 'text 行', hash: written.hash })
    }))

  it('keeps the permissions of a file, and gives a new one to its owner alone', () =>
    inWorkspace(async ({ put, at, call }) => {
      put('run.sh', '')
      chmodSync(at('run.sh'), 0o751)
      await call('write', { path: 'run.sh', content: 'x' })
      await call('write', { path: 'new', content: 'x' })
      expect((statSync(at('run.sh')).mode & 0o777).toString(8)).toBe('751')
      expect((statSync(at('new')).mode & 0o777).toString(8)).toBe('600')
    }))

  it('replaces only the version that was read, if a hash is given', () =>
    inWorkspace(async ({ put, call, data, error }) => {
      put('a.txt', 'one')
      const { hash } = await data<ReadResult>('read', { path: 'a.txt' })
      put('a.txt', 'somebody else')
      const conflict = await error('write', { path: 'a.txt', content: 'two', hash })
      expect(conflict).toMatchObject({ code: 'tool_failed', rule: 'conflict', started: 'no' })
      const now = (conflict.backend?.data as { readonly hash: string } | undefined)?.hash
      expect(conflict.message).toContain(now)
      await call('write', { path: 'a.txt', content: 'two', hash: now })
      expect(await error('write', { path: 'no', content: '', hash: now })).toMatchObject({
        rule: 'not-found',
      })
    }))

  it('refuses a folder, and a text that is none', () =>
    inWorkspace(async ({ at, error }) => {
      mkdirSync(at('sub'))
      expect(await error('write', { path: 'sub', content: '' })).toMatchObject({
        rule: 'not-a-file',
      })
      expect(await error('write', { path: 'a', content: '\uD800' })).toMatchObject({
        rule: 'unicode-invalid',
        parameter: 'content',
      })
    }))

  it('keeps to the quota of bytes, of one file and of new files', () =>
    inWorkspace(
      async ({ call, error }) => {
        expect(await error('write', { path: 'a', content: 'x'.repeat(11) })).toMatchObject({
          code: 'guard_refused',
          rule: 'quota',
        })
        await call('write', { path: 'a', content: 'x'.repeat(10) })
        await call('write', { path: 'b', content: 'x' })
        expect(await error('write', { path: 'c', content: 'x' })).toMatchObject({ rule: 'quota' })
        await call('write', { path: 'b', content: 'x'.repeat(9) })
        expect(await error('write', { path: 'b', content: 'x' })).toMatchObject({ rule: 'quota' })
      },
      { limits: { fileBytes: 10, writtenBytes: 20, createdFiles: 2 } },
    ))

  it(
    `does ${parallelWrites} writes at the same time, each of them whole`,
    () =>
      inWorkspace(async ({ root, call, at }) => {
        const files = Array.from(
          { length: parallelWrites },
          (_, index) => `d${index % 10}/${index % 500}.txt`,
        )
        await Promise.all(
          files.map((path, index) =>
            call('write', { path, content: `${String(index).padStart(6, '0')}\n`.repeat(1000) }),
          ),
        )
        for (const path of new Set(files)) {
          const lines = new Set(readFileSync(at(path), 'utf8').split('\n'))
          expect(lines.size).toBe(2)
        }
        const left = readdirSync(root, { recursive: true, encoding: 'utf8' })
        expect(left.filter((name) => name.includes('.tmp'))).toEqual([])
      }),
    300_000,
  )

  it('leaves nothing behind when it is stopped', () =>
    inWorkspace(async ({ root, call }) => {
      const stop = new AbortController()
      const content = 'x'.repeat(10_000_000)
      const outcome = call('write', { path: 'a', content }, { signal: stop.signal })
      stop.abort()
      await expect(outcome).rejects.toMatchObject({ code: 'cancelled', started: 'no' })
      expect(readdirSync(root)).toEqual([])
    }))

  it.each(['write', 'edit'] as const)(
    'of the version that was read is a conflict when somebody changes it meanwhile: %s',
    (operation) =>
      inWorkspace(async ({ root, put, at, call, data }) => {
        put('a', `one${'x'.repeat(10_000_000)}`)
        const { hash } = await data<StatResult>('stat', { path: 'a' })
        const args =
          operation === 'write'
            ? { path: 'a', hash, content: 'y'.repeat(10_000_000) }
            : { path: 'a', hash, edits: [{ old: 'one', new: 'two' }] }
        const outcome = call(operation, args)
        await until(() => readdirSync(root).some((name) => name.endsWith('.tmp')))
        put('a', 'somebody else')
        await expect(outcome).rejects.toMatchObject({ rule: 'conflict', started: 'no' })
        expect(readFileSync(at('a'), 'utf8')).toBe('somebody else')
        expect(readdirSync(root)).toEqual(['a'])
      }),
  )

  it('of the version that was read goes through when only its time changes meanwhile', () =>
    inWorkspace(async ({ root, put, at, call, data }) => {
      put('a', 'x'.repeat(10_000_000))
      const { hash } = await data<StatResult>('stat', { path: 'a' })
      const outcome = call('write', { path: 'a', hash, content: 'y'.repeat(10_000_000) })
      await until(() => readdirSync(root).some((name) => name.endsWith('.tmp')))
      utimesSync(at('a'), 1, 1)
      await outcome
      expect(readFileSync(at('a'), 'utf8').startsWith('y')).toBe(true)
    }))

  it('waits no longer for its turn when it is stopped', () =>
    inWorkspace(async ({ call, at }) => {
      const stop = new AbortController()
      const content = 'x'.repeat(5_000_000)
      const others = Array.from({ length: 30 }, () => call('write', { path: 'a', content }))
      const waiting = call('write', { path: 'a', content: 'last' }, { signal: stop.signal })
      stop.abort()
      const first = await Promise.race([waiting.catch((error: unknown) => error), others.at(-1)])
      expect(first).toMatchObject({ code: 'cancelled', started: 'no' })
      await Promise.all(others)
      expect(readFileSync(at('a')).length).toBe(5_000_000)
    }))
})

describe('a process that is killed in the middle of a write', () => {
  it(
    `leaves the old or the new content, and nothing else after the next start, ${kills} times`,
    () =>
      inWorkspace(async ({ root }) => {
        const bytes = 8_000_000
        let leftBehind = 0
        for (let round = 0; round < kills; round += 1) {
          await withFixture('write-again.ts', [root, String(bytes)], async (child) => {
            // In the middle: as soon as a file of the writer is there again.
            await until(() => temps(root).length > 0)
            child.kill('SIGKILL')
          })
          leftBehind += temps(root).length
          const content = readFileSync(join(root, 'sub', 'target.txt'))
          expect(content.length).toBe(bytes)
          expect(content.every((byte) => byte === content[0])).toBe(true)
          const next = await started(
            fileAdapter({ roots: { workspace: { path: root, write: true } } }),
          )
          expect(readdirSync(join(root, 'sub'))).toEqual(['target.txt'])
          await next.stop?.({ graceMs: 100 })
        }
        expect(leftBehind).toBeGreaterThan(0)
      }),
    120_000,
  )

  it('is told apart from one that is still writing', () =>
    inWorkspace(async ({ root }) => {
      await withFixture('write-again.ts', [root, '8000000'], async (child) => {
        await until(() => temps(root).length > 0)
        child.kill('SIGSTOP')
        const before = temps(root)
        const next = await started(
          fileAdapter({ roots: { workspace: { path: root, write: true } } }),
        )
        expect(temps(root)).toEqual(before)
        await next.stop?.({ graceMs: 100 })
      })
    }))
})

describe('the start', () => {
  it('takes nothing away from another copy of the package in this process', () =>
    inWorkspace(async ({ root, call }) => {
      const outcome = call('write', { path: 'sub/a', content: 'x'.repeat(20_000_000) })
      await until(() => temps(root).length > 0)
      vi.resetModules()
      const copy = (await import('../src/index.ts')).fileAdapter
      expect(copy).not.toBe(fileAdapter)
      const other = await started(copy({ roots: { workspace: { path: root, write: true } } }))
      await other.stop?.({ graceMs: 100 })
      await outcome
    }))

  it('takes nothing away that only looks like a file of this package', () =>
    inWorkspace(async ({ root, put }) => {
      const names = ['.callgate-notes.tmp', '.callgate-00000000-1-0123456789abcdef.tmp']
      for (const name of names) put(name, 'mine')
      await started(fileAdapter({ roots: { workspace: { path: root, write: true } } }))
      expect(readdirSync(root).toSorted()).toEqual(names.toSorted())
    }))
})

function temps(root: string): readonly string[] {
  const folder = join(root, 'sub')
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.tmp')) : []
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}
