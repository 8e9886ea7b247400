import { readFileSync } from 'node:fs'

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import type { ReadResult, SearchResult } from '../src/index.ts'
import { inWorkspace, type Workspace } from './host.ts'

const numRuns = process.env['CI'] ? 200 : 25
const limits = { lineBytes: 700, pageBytes: 2000 }

const pieces = ['a', 'é', '行', '😀', '\n', '\n', '\r\n', 'word ', '\t', 'x'.repeat(300)]
const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((all) => all.join(''))

/** How a text becomes the bytes of a file. */
const encodings: { readonly [name: string]: (text: string) => Buffer } = {
  'UTF-8': (text) => Buffer.from(text, 'utf8'),
  'UTF-8 with a mark': (text) => Buffer.from(`\uFEFF${text}`, 'utf8'),
  'UTF-16, low byte first': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
  'UTF-16, high byte first': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
}

describe.each(Object.entries(encodings))('in any file in %s', { timeout: 120_000 }, (_, encode) => {
  const holds = <Case extends [unknown, ...unknown[]]>(
    property: (workspace: Workspace) => fc.IAsyncProperty<Case>,
  ): Promise<void> =>
    inWorkspace((workspace) => fc.assert(property(workspace), { numRuns }), { limits })

  it('pages by bytes, put together, are the text', () =>
    holds(({ put, data }) =>
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 100 }), async (text, bytes) => {
        put('file', encode(text))
        let read = ''
        for (let offset = 0; ;) {
          const page = await data<ReadResult>('read', { path: 'file', offset, bytes })
          read += page.text
          if (page.end) break
          offset = page.nextOffset
        }
        expect(read).toBe(text)
      }),
    ))

  it('pages by lines hold the lines that they say, and the last says how many there are', () =>
    holds(({ put, data }) =>
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 20 }), async (text, lines) => {
        put('file', encode(text))
        const whole = text.split(/(?<=\n)/)
        const expected = text === '' ? [] : whole
        for (let line = 1; ;) {
          const page = await data<ReadResult>('read', { path: 'file', line, lines })
          const wanted = expected.slice(line - 1, line - 1 + (page.lines ?? 0)).join('')
          if (page.cut === undefined) expect(page.text).toBe(wanted)
          line += page.lines ?? 0
          if (!page.end) continue
          expect(page.totalLines).toBe(expected.length)
          break
        }
      }),
    ))

  it('an edit changes what it names and no other byte', () =>
    holds(({ put, at, data, call }) =>
      fc.asyncProperty(texts, texts, async (before, after) => {
        const text = `${before}<here>${after}`
        put('file', encode(text))
        const { hash } = await data<ReadResult>('read', { path: 'file' })
        await call('edit', { path: 'file', hash, edits: [{ old: '<here>', new: 'Ä\n' }] })
        // A new line ends as the lines of the file do, where all end alike.
        const isCrlf = text.includes('\r\n') && !/(?<!\r)\n/.test(text)
        const changed = `${before}Ä${isCrlf ? '\r\n' : '\n'}${after}`
        expect(readFileSync(at('file')).equals(encode(changed))).toBe(true)
      }),
    ))

  it('a search finds the lines that hold a text, and shows them', () =>
    holds(({ put, data }) =>
      fc.asyncProperty(texts, async (text) => {
        put('file', encode(text))
        const { matches } = await data<SearchResult>('search', { pattern: 'word ', literal: true })
        const expected = text
          .split('\n')
          .flatMap((line, index) =>
            line.includes('word ') ? [{ line: index + 1, text: line.replace(/\r$/, '') }] : [],
          )
        expect(matches.map(({ line }) => line)).toEqual(expected.map(({ line }) => line))
        for (const [index, match] of matches.entries()) {
          if (match.cut === undefined) expect(match.text).toBe(expected[index]?.text)
          else expect(expected[index]?.text).toContain(match.text)
        }
      }),
    ))
})
