import { readFileSync, utimesSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'

import { describe, expect, it } from 'vitest'

import type { EditResult, ReadResult } from '../src/index.ts'
import { errorOf, inWorkspace, type Workspace } from './host.ts'

async function hashOf({ data }: Workspace, path: string): Promise<string> {
  return (await data<ReadResult>('read', { path })).hash ?? ''
}

describe('edit', () => {
  it('replaces several exact texts at once, and tells where they are now', () =>
    inWorkspace(async (workspace) => {
      const { put, at, data } = workspace
      put('a.ts', 'const a = 1\nconst b = 2\nconst c = 3\n')
      const hash = await hashOf(workspace, 'a.ts')
      const edits = [
        { old: 'c = 3', new: 'c = 4' },
        { old: 'a = 1', new: 'a = 1\nconst z = 0' },
      ]
      const result = await data<EditResult>('edit', { path: 'a.ts', hash, edits })
      expect(readFileSync(at('a.ts'), 'utf8')).toBe(
        'const a = 1\nconst z = 0\nconst b = 2\nconst c = 4\n',
      )
      expect(result).toMatchObject({ replaced: 2, lines: [1, 4] })
      expect(result.hash).toBe(await hashOf(workspace, 'a.ts'))
    }))

  it('does nothing when one of several edits does not fit', () =>
    inWorkspace(async (workspace) => {
      const { put, at, error } = workspace
      put('a.txt', 'one two')
      const hash = await hashOf(workspace, 'a.txt')
      const edits = [
        { old: 'one', new: '1' },
        { old: 'three', new: '3' },
      ]
      expect(await error('edit', { path: 'a.txt', hash, edits })).toMatchObject({
        rule: 'no-match',
        message: expect.stringContaining('Edit 2'),
      })
      expect(readFileSync(at('a.txt'), 'utf8')).toBe('one two')
    }))

  it('shows near lines when the old text is not there', () =>
    inWorkspace(async (workspace) => {
      const { put, error } = workspace
      put('a.ts', 'function other() {}\nfunction readFile(path: string) {\n}\n')
      const hash = await hashOf(workspace, 'a.ts')
      const edits = [{ old: 'function readFile( path : string ) {', new: '' }]
      expect((await error('edit', { path: 'a.ts', hash, edits })).message).toContain(
        'line 2: "function readFile(path: string) {"',
      )
    }))

  it('tells how often a text is there, and replaces all when that was expected', () =>
    inWorkspace(async (workspace) => {
      const { put, at, call, error } = workspace
      put('a.txt', 'x\nx\nx\n')
      const hash = await hashOf(workspace, 'a.txt')
      expect(
        await error('edit', { path: 'a.txt', hash, edits: [{ old: 'x', new: 'y' }] }),
      ).toMatchObject({
        rule: 'several-matches',
        message: expect.stringContaining('3 times'),
      })
      await call('edit', { path: 'a.txt', hash, edits: [{ old: 'x', new: 'y', count: 3 }] })
      expect(readFileSync(at('a.txt'), 'utf8')).toBe('y\ny\ny\n')
    }))

  it('makes no huge file of many small places', () =>
    inWorkspace(
      async (workspace) => {
        const { put, error } = workspace
        put('a.txt', 'x\n'.repeat(5000))
        const hash = await hashOf(workspace, 'a.txt')
        const edits = [{ old: 'x', new: 'y'.repeat(100_000), count: 5000 }]
        expect(await error('edit', { path: 'a.txt', hash, edits })).toMatchObject({ rule: 'quota' })
        put('a.txt', 'x'.repeat(20_000))
        const all = [{ old: 'x', new: 'y', count: 20_000 }]
        const again = await hashOf(workspace, 'a.txt')
        expect(await error('edit', { path: 'a.txt', hash: again, edits: all })).toMatchObject({
          rule: 'several-matches',
          message: expect.stringContaining('more than 10000'),
        })
      },
      { limits: { fileBytes: 1_000_000 } },
    ))

  it('looks for a text that nearly fits everywhere no longer than for another', () =>
    inWorkspace(async (workspace) => {
      const { put, at, call, error } = workspace
      const [half, pad] = ['a'.repeat(50_000), 'a'.repeat(500_000)]
      put('a.txt', pad + pad)
      const hash = await hashOf(workspace, 'a.txt')
      const edits = [{ old: `${half}b${half}`, new: 'c' }]
      expect(await error('edit', { path: 'a.txt', hash, edits })).toMatchObject({
        rule: 'no-match',
      })
      put('a.txt', `${pad}b${half}b${pad}`)
      const all = [{ ...edits[0], count: 2 }]
      const again = await hashOf(workspace, 'a.txt')
      expect(await error('edit', { path: 'a.txt', hash: again, edits: all })).toMatchObject({
        message: expect.stringContaining('there 1 times'),
      })
      await call('edit', { path: 'a.txt', hash: again, edits })
      expect(readFileSync(at('a.txt'), 'utf8')).toBe(`${pad.slice(50_000)}cb${pad}`)
    }))

  it('lets others have their turn while it looks for many texts, and stops', () =>
    inWorkspace(async (workspace) => {
      const { put, at, call } = workspace
      const lines = Array.from({ length: 100_000 }, (_, index) => `line ${index}\n`)
      put('a.txt', lines.join(''))
      const hash = await hashOf(workspace, 'a.txt')
      const edits = lines.slice(-2000).map((old) => ({ old, new: '' }))
      const stop = new AbortController()
      const running = errorOf(call('edit', { path: 'a.txt', hash, edits }, { signal: stop.signal }))
      await setImmediate()
      stop.abort()
      expect(await running).toMatchObject({ code: 'cancelled', started: 'no' })
      expect(readFileSync(at('a.txt'), 'utf8')).toBe(lines.join(''))
    }))

  it('refuses edits of the same text', () =>
    inWorkspace(async (workspace) => {
      const { put, error } = workspace
      put('a.txt', 'abcdef')
      const hash = await hashOf(workspace, 'a.txt')
      const edits = [
        { old: 'abcd', new: '' },
        { old: 'cdef', new: '' },
      ]
      expect(await error('edit', { path: 'a.txt', hash, edits })).toMatchObject({ rule: 'overlap' })
    }))

  it('is a conflict when the content changed, and none when the time alone did', () =>
    inWorkspace(async (workspace) => {
      const { put, at, call, error } = workspace
      put('a.txt', 'one')
      const hash = await hashOf(workspace, 'a.txt')
      utimesSync(at('a.txt'), 1, 1)
      await call('edit', { path: 'a.txt', hash, edits: [{ old: 'one', new: 'two' }] })
      const again = await error('edit', {
        path: 'a.txt',
        hash,
        edits: [{ old: 'two', new: 'three' }],
      })
      expect(again).toMatchObject({ rule: 'conflict', parameter: 'hash' })
      expect(again.message).toContain(await hashOf(workspace, 'a.txt'))
    }))

  it.each([
    ['a mark of UTF-8', Buffer.from('\uFEFFone\r\ntwo\nthree\r', 'utf8')],
    ['UTF-16, low byte first', Buffer.from('\uFEFFone\r\ntwo\n行', 'utf16le')],
    ['UTF-16, high byte first', Buffer.from('\uFEFFone\r\ntwo\n行', 'utf16le').swap16()],
  ])('leaves every other byte as it is: %s', (_, bytes) =>
    inWorkspace(async (workspace) => {
      const { put, at, call } = workspace
      put('a.txt', bytes)
      const hash = await hashOf(workspace, 'a.txt')
      await call('edit', { path: 'a.txt', hash, edits: [{ old: 'two', new: 'owt' }] })
      const changed = readFileSync(at('a.txt'))
      await call('edit', {
        path: 'a.txt',
        hash: await hashOf(workspace, 'a.txt'),
        edits: [{ old: 'owt', new: 'two' }],
      })
      expect(changed.equals(bytes)).toBe(false)
      expect(readFileSync(at('a.txt')).equals(bytes)).toBe(true)
    }),
  )

  it('reads LF in an edit as CRLF where the file has that', () =>
    inWorkspace(async (workspace) => {
      const { put, at, call } = workspace
      put('a.txt', 'one\r\ntwo\r\nthree\r\n')
      const hash = await hashOf(workspace, 'a.txt')
      await call('edit', { path: 'a.txt', hash, edits: [{ old: 'one\ntwo', new: '1\n2\n2b' }] })
      expect(readFileSync(at('a.txt'), 'utf8')).toBe('1\r\n2\r\n2b\r\nthree\r\n')
    }))

  it('puts new lines with CRLF into a line of a file that has no other', () =>
    inWorkspace(async (workspace) => {
      const { put, at, call } = workspace
      const edits = [{ old: 'one', new: '1\n1b' }]
      for (const [content, wanted] of [
        ['one\r\ntwo\r\n', '1\r\n1b\r\ntwo\r\n'],
        ['one\r\ntwo\n', '1\n1b\r\ntwo\n'],
        ['one\ntwo\n', '1\n1b\ntwo\n'],
        ['one', '1\n1b'],
      ] as const) {
        put('a.txt', content)
        await call('edit', { path: 'a.txt', hash: await hashOf(workspace, 'a.txt'), edits })
        expect(readFileSync(at('a.txt'), 'utf8')).toBe(wanted)
      }
    }))

  it.each([
    ['bytes that are not UTF-8', Buffer.from('caf\xe9\none\nna\xefve', 'latin1'), 'encoding'],
    ['a binary file', Buffer.from('one\0two'), 'binary'],
  ])('refuses %s and leaves them as they are', (_, bytes, rule) =>
    inWorkspace(async (workspace) => {
      const { put, at, data, error } = workspace
      put('a.txt', bytes)
      const { hash } = await data<{ readonly hash: string }>('stat', { path: 'a.txt' })
      const edits = [{ old: 'one', new: 'two' }]
      expect(await error('edit', { path: 'a.txt', hash, edits })).toMatchObject({ rule })
      expect(readFileSync(at('a.txt')).equals(bytes)).toBe(true)
    }),
  )

  it('refuses a file that is too large, and one that is not there', () =>
    inWorkspace(
      async ({ put, error }) => {
        put('a.txt', 'x'.repeat(101))
        const edits = [{ old: 'x', new: 'y', count: 101 }]
        expect(await error('edit', { path: 'a.txt', hash: '0', edits })).toMatchObject({
          rule: 'too-large',
        })
        expect(await error('edit', { path: 'b.txt', hash: '0', edits })).toMatchObject({
          rule: 'not-found',
        })
      },
      { limits: { editBytes: 100 } },
    ))

  it('lets one of many edits of the same version through', () =>
    inWorkspace(async (workspace) => {
      const { put, call } = workspace
      put('a.txt', 'start')
      const hash = await hashOf(workspace, 'a.txt')
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, index) =>
          call('edit', { path: 'a.txt', hash, edits: [{ old: 'start', new: String(index) }] }),
        ),
      )
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    }))
})
