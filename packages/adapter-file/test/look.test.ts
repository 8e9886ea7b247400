import { chmodSync, mkdirSync, symlinkSync, truncateSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import type { GlobResult, ListResult, SearchResult } from '../src/index.ts'
import { inWorkspace } from './host.ts'

describe('list', () => {
  it('shows types and sizes, sorted, links as links', () =>
    inWorkspace(async ({ put, at, call }) => {
      put('b.txt', 'four')
      put('a/inner', '')
      symlinkSync('/etc', at('c'))
      const { data, content } = await call('list', { path: '.' })
      expect(data).toEqual({
        path: '.',
        truncated: false,
        entries: [
          { path: 'a', type: 'folder' },
          { path: 'b.txt', type: 'file', size: 4 },
          { path: 'c', type: 'link' },
        ],
      })
      expect(content).toEqual([{ type: 'text', text: 'a/\nb.txt  4\nc@' }])
    }))

  it('goes down as far as it is asked to, and leaves hidden names out on demand', () =>
    inWorkspace(async ({ put, data }) => {
      put('a/b/c/d', '')
      put('.hidden/x', '')
      const { entries } = await data<ListResult>('list', { path: '.', depth: 2, hidden: false })
      expect(entries.map(({ path }) => path)).toEqual(['a', 'a/b'])
    }))

  it('gives long listings by pages that fit together', () =>
    inWorkspace(async ({ put, data }) => {
      const names = Array.from({ length: 53 }, (_, index) => `d${index % 3}/f${index}`)
      for (const name of names) put(name, '')
      const found: string[] = []
      for (let after: string | undefined; ;) {
        const args = { path: '.', depth: 3, limit: 10, ...(after === undefined ? {} : { after }) }
        const page = await data<ListResult>('list', args)
        found.push(...page.entries.map(({ path }) => path))
        if (!page.truncated) break
        after = page.next
      }
      expect(found.filter((path) => path.includes('/')).toSorted()).toEqual(names.toSorted())
      expect(new Set(found).size).toBe(found.length)
    }))

  it('refuses what is no folder', () =>
    inWorkspace(async ({ put, error }) => {
      put('a', '')
      expect(await error('list', { path: 'a' })).toMatchObject({ rule: 'not-a-folder' })
    }))
})

describe('glob', () => {
  it.each([
    ['*.ts', ['a.ts', 'src/b.ts', 'src/deep/c.ts']],
    ['src/*.ts', ['src/b.ts']],
    ['src/**/*.ts', ['src/b.ts', 'src/deep/c.ts']],
    ['**/c.*', ['src/deep/c.ts']],
    ['*.{md,ts}', ['a.ts', 'read.md', 'src/b.ts', 'src/deep/c.ts']],
    ['src/b.ts', ['src/b.ts']],
    ['**', ['a.ts', 'read.md', 'src/b.ts', 'src/deep/c.ts']],
    ['.hidden/*', ['.hidden/e.ts']],
    ['no/*.x', []],
    ['src/', ['src/b.ts', 'src/deep/c.ts']],
    ['./src/./', ['src/b.ts', 'src/deep/c.ts']],
    ['*/', ['src/b.ts', 'src/deep/c.ts']],
    ['**/deep/', ['src/deep/c.ts']],
    ['./', ['a.ts', 'read.md', 'src/b.ts', 'src/deep/c.ts']],
    ['.', ['a.ts', 'read.md', 'src/b.ts', 'src/deep/c.ts']],
    ['.hidden/', ['.hidden/e.ts']],
    ['no/', []],
  ])('%s', (glob, paths) =>
    inWorkspace(async ({ put, call }) => {
      for (const path of [
        'a.ts',
        'read.md',
        'src/b.ts',
        'src/deep/c.ts',
        'out/d.ts',
        '.hidden/e.ts',
      ]) {
        put(path, '')
      }
      put('.gitignore', 'out/\n')
      expect((await call('glob', { glob })).data).toEqual({ paths, truncated: false })
    }),
  )

  it('takes # for a character and a blank for nothing, where each would find every file', () =>
    inWorkspace(async ({ put, call, data, error }) => {
      for (const path of ['#1.md', 'a.md', 'b/#2.md']) put(path, 'word')
      expect((await call('glob', { glob: '#*' })).data).toMatchObject({
        paths: ['#1.md', 'b/#2.md'],
      })
      expect(await error('glob', { glob: ' ' })).toMatchObject({ rule: 'type' })
      const { matches } = await data<SearchResult>('search', { pattern: 'word', glob: '#*' })
      expect(matches.map(({ path }) => path)).toEqual(['#1.md', 'b/#2.md'])
    }))

  it('shows hidden and ignored files on demand, and begins in a folder', () =>
    inWorkspace(async ({ put, data }) => {
      put('a/.hidden', '')
      put('a/out/b', '')
      put('.gitignore', 'out\n')
      const args = { glob: '**', dir: 'a' }
      expect((await data<GlobResult>('glob', args)).paths).toEqual([])
      const { paths } = await data<GlobResult>('glob', { ...args, hidden: true, ignored: true })
      expect(paths).toEqual(['a/.hidden', 'a/out/b'])
    }))

  it.each(['/etc/*', '../*', 'a/../../*', '{..,a}/*', '!*.ts', 'C:/*', 'a\\b'])(
    'refuses %s',
    (glob) =>
      inWorkspace(async ({ error }) => {
        expect(await error('glob', { glob })).toMatchObject({ code: 'guard_refused', rule: 'glob' })
        expect(await error('search', { pattern: 'x', glob })).toMatchObject({ rule: 'glob' })
      }),
  )

  it('stops at the limit, and says so', () =>
    inWorkspace(async ({ put, data }) => {
      for (const name of ['a', 'b', 'c']) put(name, '')
      expect(await data('glob', { glob: '*', limit: 2 })).toEqual({
        paths: ['a', 'b'],
        truncated: true,
      })
    }))
})

describe('search', () => {
  it('finds lines by a regular expression, with lines around them', () =>
    inWorkspace(async ({ put, call }) => {
      put('a.txt', 'one\ntwo words\r\nthree\n')
      put('b/c.txt', 'TWO\n')
      const { data, content } = await call('search', {
        pattern: '^two?',
        ignore_case: true,
        context: 1,
      })
      expect(data).toEqual({
        truncated: false,
        matches: [
          { path: 'a.txt', line: 2, text: 'two words', before: ['one'], after: ['three'] },
          { path: 'b/c.txt', line: 1, text: 'TWO' },
        ],
      })
      expect(content?.[0]).toMatchObject({
        text: 'a.txt-1-one\na.txt:2:two words\na.txt-3-three\nb/c.txt:1:TWO',
      })
    }))

  it.each(['--follow', '-e', '--pre=touch pwn', '$(touch pwn)', 'a|b', '['])(
    'takes %s as text with literal',
    (pattern) =>
      inWorkspace(async ({ put, data }) => {
        put('a.txt', `x ${pattern} y\n`)
        const { matches } = await data<SearchResult>('search', { pattern, literal: true })
        expect(matches.map(({ path }) => path)).toEqual(['a.txt'])
      }),
  )

  it.each([
    ['words$', 'two words'],
    ['three$', 'three'],
    ['^$', ''],
  ])('finds the ends of lines by %s', (pattern, text) =>
    inWorkspace(async ({ put, data }) => {
      put('a.txt', 'two words\r\n\r\nthree')
      const { matches } = await data<SearchResult>('search', { pattern })
      expect(matches.map((match) => match.text)).toEqual([text])
    }),
  )

  it.each([
    ['a(', 'unclosed group'],
    ['(?=a)', 'look-around, including look-ahead and look-behind, is not supported'],
    ['a\nb', 'it is compared line by line, so it holds no line end'],
    [String.raw`a\nb`, 'it is compared line by line, so it holds no line end'],
  ])('says in one line what is wrong with the pattern %j', (pattern, reason) =>
    inWorkspace(async ({ error }) => {
      expect(await error('search', { pattern })).toMatchObject({
        code: 'tool_failed',
        rule: 'pattern',
        parameter: 'pattern',
        message: `The pattern cannot be read: ${reason}.`,
      })
    }),
  )

  it('says what is wrong with a glob, and that it is the glob', () =>
    inWorkspace(async ({ error }) => {
      const wanted = { code: 'tool_failed', rule: 'pattern', parameter: 'glob' }
      expect(await error('glob', { glob: '{a,b' })).toMatchObject(wanted)
      expect(await error('search', { pattern: 'word', glob: '[a' })).toMatchObject(wanted)
    }))

  it('looks only at files that a glob names', () =>
    inWorkspace(async ({ put, data }) => {
      for (const path of ['a.ts', 'a.md', 'src/b.ts']) put(path, 'word')
      const paths = async (glob: string): Promise<readonly string[]> =>
        (await data<SearchResult>('search', { pattern: 'word', glob })).matches.map(
          ({ path }) => path,
        )
      expect(await paths('*.ts')).toEqual(['a.ts', 'src/b.ts'])
      expect(await paths('src/*')).toEqual(['src/b.ts'])
    }))

  it('cuts long lines around what was found', () =>
    inWorkspace(async ({ put, data }) => {
      put('min.js', `${'行'.repeat(50_000)}needle${'x'.repeat(50_000)}\nsecond needle\n`)
      const { matches } = await data<SearchResult>('search', { pattern: 'needle' })
      expect(matches[0]?.cut).toBe(true)
      expect(matches[0]?.text).toMatch(/^行{1,70}needlex+$/)
      expect(matches[0]?.text.length).toBeLessThan(2001)
      expect(matches[1]).toEqual({ path: 'min.js', line: 2, text: 'second needle' })
    }))

  it('finds text behind marks and in UTF-16, and leaves binary files out', () =>
    inWorkspace(async ({ put, data }) => {
      put('a.txt', Buffer.from('\uFEFFone 行\r\ntwo needle\r\n', 'utf16le'))
      put('b.bin', Buffer.from('needle\0needle'))
      put('c.txt', '\uFEFFone\nneedle\n')
      const { matches } = await data<SearchResult>('search', { pattern: 'needle' })
      expect(matches).toEqual([
        { path: 'a.txt', line: 2, text: 'two needle' },
        { path: 'c.txt', line: 2, text: 'needle' },
      ])
    }))

  it('stops at the limit, and when its time is over', () =>
    inWorkspace(
      async ({ put, at, data }) => {
        put('a.txt', 'x\n'.repeat(100))
        const few = await data<SearchResult>('search', { pattern: 'x', limit: 5 })
        expect([few.matches.length, few.truncated]).toEqual([5, true])
        put('huge', 'x'.repeat(9000))
        truncateSync(at('huge'), 100_000_000_000)
        const began = performance.now()
        const late = await data<SearchResult>('search', { pattern: 'zzz' })
        expect(late).toEqual({ matches: [], truncated: true })
        expect(performance.now() - began).toBeLessThan(5000)
      },
      { limits: { scanMs: 300 } },
    ))

  it('ends with its caller', () =>
    inWorkspace(async ({ put, at, call }) => {
      put('huge', 'x'.repeat(9000))
      truncateSync(at('huge'), 100_000_000_000)
      const stop = new AbortController()
      const outcome = call('search', { pattern: 'zzz' }, { signal: stop.signal })
      setTimeout(() => stop.abort(), 50)
      await expect(outcome).rejects.toMatchObject({ code: 'cancelled' })
    }))

  it('passes over what cannot be read', () =>
    inWorkspace(async ({ put, at, data }) => {
      put('a.txt', 'word')
      mkdirSync(at('closed'))
      chmodSync(at('closed'), 0)
      symlinkSync('nowhere', at('dangling'))
      const { matches } = await data<SearchResult>('search', { pattern: 'word' })
      expect(matches).toHaveLength(1)
      chmodSync(at('closed'), 0o700)
    }))
})
