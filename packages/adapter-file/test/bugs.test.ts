import {
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import type { ReadResult, SearchResult } from '../src/index.ts'
import { inWorkspace, makePipe } from './host.ts'

// Faults that other adapters had; the ids are those of the collection they come from.
describe('what must not happen', () => {
  it('bug-023: a write goes through a link whose target is not there yet', () =>
    inWorkspace(async ({ at, outside, error }) => {
      symlinkSync(join(outside, 'new'), at('link'))
      expect(await error('write', { path: 'link', content: 'x' })).toMatchObject({
        rule: 'symlink',
      })
      expect(readdirSync(outside)).toEqual([])
    }))

  it('bug-024: containment is decided on the text of the path', () =>
    inWorkspace(async ({ at, error }) => {
      symlinkSync('/etc/passwd', at('inside'))
      expect(await error('read', { path: 'inside' })).toMatchObject({ rule: 'symlink' })
    }))

  it.runIf(process.platform === 'linux')('bug-027: reading a named pipe never returns', () =>
    inWorkspace(async ({ at, error }) => {
      makePipe(at('p'))
      expect(await error('read', { path: 'p' })).toMatchObject({ rule: 'special-file' })
    }),
  )

  it.each([
    ['bug-028: an edit rewrites bytes that are not UTF-8', 'a \xe9\nplain\nb \xef\n'],
    ['bug-029: an edit rewrites a file in ISO-8859-1', 'int a; // \xe9t\xe9\nplain\nint b;\n'],
  ])('%s', (_, text) =>
    inWorkspace(async ({ put, at, data, error }) => {
      const bytes = Buffer.from(text, 'latin1')
      put('a.c', bytes)
      const { hash } = await data<ReadResult>('read', { path: 'a.c' })
      const edits = [{ old: 'plain', new: 'changed' }]
      expect(await error('edit', { path: 'a.c', hash, edits })).toMatchObject({ rule: 'encoding' })
      expect(readFileSync(at('a.c')).equals(bytes)).toBe(true)
    }),
  )

  it('bug-032: a new time without a new content blocks an edit', () =>
    inWorkspace(async ({ put, at, data, call }) => {
      put('a.txt', 'one')
      const { hash } = await data<ReadResult>('read', { path: 'a.txt' })
      utimesSync(at('a.txt'), new Date(), new Date())
      await call('edit', { path: 'a.txt', hash, edits: [{ old: 'one', new: 'two' }] })
      expect(readFileSync(at('a.txt'), 'utf8')).toBe('two')
    }))

  it('bug-034: a search follows links because its folder or its pattern says so', () =>
    inWorkspace(async ({ at, outside, put, data, error }) => {
      writeFileSync(join(outside, 'secret'), 'SECRET --follow')
      symlinkSync(outside, at('link'))
      mkdirSync(at('sub'))
      symlinkSync(join(outside, 'secret'), at('sub/secret'))
      put('a.txt', 'text --follow')
      const { matches } = await data<SearchResult>('search', { pattern: '--follow' })
      expect(matches.map(({ path }) => path)).toEqual(['a.txt'])
      expect(await error('search', { pattern: 'SECRET', dir: 'link' })).toMatchObject({
        rule: 'symlink',
      })
    }))
})
