import { mkdirSync, utimesSync, writeFileSync, truncateSync, appendFileSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import type { BinaryResult, ReadResult, StatResult } from '../src/index.ts'
import { inWorkspace } from './host.ts'

const manyLines = process.env['CI'] ? 1_000_000 : 100_000

describe('read', () => {
  it('gives a small file whole, with its hash, and says that it ends', () =>
    inWorkspace(async ({ put, call }) => {
      put('a.txt', 'one\r\ntwo\n')
      const { data, content } = await call('read', { path: 'a.txt' })
      expect(data).toMatchObject({
        text: 'one\r\ntwo\n',
        size: 9,
        encoding: 'utf-8',
        line: 1,
        lines: 2,
        end: true,
        totalLines: 2,
        hash: expect.stringMatching(/^[0-9a-f]{16}$/),
      })
      expect(content?.[0]).toEqual({ type: 'text', text: 'one\r\ntwo\n' })
      expect(content?.[1]).toMatchObject({ text: expect.stringContaining('end of file') })
    }))

  it('reads an empty file', () =>
    inWorkspace(async ({ put, data }) => {
      put('empty', '')
      expect(await data('read', { path: 'empty' })).toMatchObject({
        text: '',
        end: true,
        totalLines: 0,
      })
    }))

  it(`reads ${manyLines} lines by pages, each where the one before ended`, () =>
    inWorkspace(async ({ put, data }) => {
      const lines = Array.from({ length: manyLines }, (_, index) => `line ${index + 1} 行\n`)
      put('big.log', lines.join(''))
      let line = 1
      let read = 0
      for (;;) {
        const page = await data<ReadResult>('read', { path: 'big.log', line })
        const texts = page.text.split(/(?<=\n)/)
        if (page.lines !== texts.length || texts[0] !== lines[line - 1])
          throw new Error(`page at ${line}`)
        read += texts.length
        if (page.end) {
          expect(page.totalLines).toBe(manyLines)
          expect(texts.at(-1)).toBe(lines.at(-1))
          break
        }
        line += page.lines
      }
      expect(read).toBe(manyLines)
    }))

  it('finds a line far behind without a page before it', () =>
    inWorkspace(async ({ put, data }) => {
      put('big.log', Array.from({ length: 50_000 }, (_, index) => `${index + 1}\n`).join(''))
      const { text } = await data<ReadResult>('read', { path: 'big.log', line: 43_210, lines: 2 })
      expect(text).toBe('43210\n43211\n')
      expect((await data<ReadResult>('read', { path: 'big.log', line: 7, lines: 1 })).text).toBe(
        '7\n',
      )
    }))

  it('says how many lines there are when the line asked for is behind the end', () =>
    inWorkspace(async ({ put, error }) => {
      put('a.txt', 'one\ntwo')
      expect(await error('read', { path: 'a.txt', line: 9 })).toMatchObject({
        code: 'tool_failed',
        rule: 'line-range',
        message: expect.stringContaining('2 lines'),
      })
    }))

  it('cuts a very long line, says so, and reads its rest by bytes', () =>
    inWorkspace(async ({ put, data }) => {
      const long = '行'.repeat(100_000)
      put('long.txt', `before\n${long}\nafter\n`)
      const page = await data<ReadResult>('read', { path: 'long.txt' })
      const [, shown = ''] = /^before\n(行+)after\n$/.exec(page.text) ?? []
      expect(page.cut).toEqual([{ line: 2, offset: 7 + Buffer.byteLength(shown) }])
      let text = shown
      for (let offset = page.cut?.[0]?.offset ?? 0; text.length < long.length;) {
        const rest = await data<ReadResult>('read', { path: 'long.txt', offset })
        text += rest.text
        offset = rest.nextOffset
      }
      expect(text).toBe(`${long}\nafter\n`)
    }))

  it('begins and ends a page by bytes with whole characters', () =>
    inWorkspace(async ({ put, data }) => {
      put('a.txt', '行行行行')
      const page = await data<ReadResult>('read', { path: 'a.txt', offset: 4, bytes: 5 })
      expect(page).toMatchObject({ text: '行', offset: 6, nextOffset: 9 })
    }))

  it('reads the end of a file of 600 MB at once', () =>
    inWorkspace(async ({ put, at, data }) => {
      put('huge.log', 'text\n'.repeat(2000))
      truncateSync(at('huge.log'), 600_000_000)
      appendFileSync(at('huge.log'), '\nthe end\n')
      const page = await data<ReadResult>('read', { path: 'huge.log', offset: 600_000_001 })
      expect(page).toMatchObject({ text: 'the end\n', end: true, size: 600_000_009 })
      expect(page.hash).toBeUndefined()
    }))

  it.each([
    ['utf-16le', Buffer.from('\uFEFFeins\r\nzwei 行\n', 'utf16le')],
    ['utf-16be', Buffer.from('\uFEFFeins\r\nzwei 行\n', 'utf16le').swap16()],
  ])('reads %s by its mark', (encoding, bytes) =>
    inWorkspace(async ({ put, data }) => {
      put('a.txt', bytes)
      expect(await data('read', { path: 'a.txt', line: 2 })).toMatchObject({
        encoding,
        text: 'zwei 行\n',
        totalLines: 2,
      })
    }),
  )

  it('guesses an encoding that is not UTF-8, and says so', () =>
    inWorkspace(async ({ put, data }) => {
      const gbk = Buffer.from('d6d0bbaac8cbc3f1b9b2bacdb9facdf2cbea0a', 'hex')
      put('gbk.txt', Buffer.concat(Array.from({ length: 20 }, () => gbk)))
      expect(await data('read', { path: 'gbk.txt', lines: 1 })).toMatchObject({
        guessed: true,
        text: '中华人民共和国万岁\n',
      })
    }))

  it('reads an encoding that is named, and fails for one that is none', () =>
    inWorkspace(async ({ put, data, error }) => {
      put('sjis.txt', Buffer.from('93fa967b0a', 'hex'))
      expect(await data('read', { path: 'sjis.txt', encoding: 'shift_jis' })).toMatchObject({
        encoding: 'shift_jis',
        text: '日本\n',
      })
      expect(await error('read', { path: 'sjis.txt', encoding: 'klingon' })).toMatchObject({
        code: 'tool_failed',
        rule: 'encoding',
      })
    }))

  it('tells type and size of a binary file, and no noise', () =>
    inWorkspace(async ({ put, data }) => {
      put('a.png', Buffer.from('89504e470d0a1a0a0000000d', 'hex'))
      expect(await data<BinaryResult>('read', { path: 'a.png' })).toEqual({
        path: 'a.png',
        size: 12,
        binary: true,
        mediaType: 'image/png',
      })
    }))

  it('says that a file is not there, and that a folder is none', () =>
    inWorkspace(async ({ at, error }) => {
      mkdirSync(at('sub'))
      expect(await error('read', { path: 'no/such' })).toMatchObject({
        code: 'tool_failed',
        rule: 'not-found',
        parameter: 'path',
        started: 'no',
      })
      expect(await error('read', { path: 'sub' })).toMatchObject({ rule: 'not-a-file' })
    }))

  it('names no path of the host in an error', () =>
    inWorkspace(async ({ root, put, error }) => {
      put('file', '')
      for (const path of ['no', 'file/below', '../x', '/etc/passwd']) {
        expect((await error('read', { path })).message).not.toContain(root)
      }
    }))

  it('keeps the hash when the times of a file change and gives a new one when its content does', () =>
    inWorkspace(async ({ put, at, data }) => {
      put('a.txt', 'one')
      const { hash } = await data<StatResult>('stat', { path: 'a.txt' })
      utimesSync(at('a.txt'), 1, 1)
      expect((await data<StatResult>('stat', { path: 'a.txt' })).hash).toBe(hash)
      writeFileSync(at('a.txt'), 'two')
      expect((await data<StatResult>('stat', { path: 'a.txt' })).hash).not.toBe(hash)
    }))

  it('gives no hash of a version that is not the one of its text', () =>
    inWorkspace(async ({ put, data }) => {
      const hashes = new Map<string, string>()
      for (const letter of ['x', 'y']) {
        put('a', letter.repeat(3_000_000))
        hashes.set(letter, (await data<StatResult>('stat', { path: 'a' })).hash!)
      }
      let told = 0
      for (let round = 0; round < 60; round += 1) {
        put('a', 'x'.repeat(3_000_000))
        const reading = data<ReadResult>('read', { path: 'a' })
        // In place and in the middle of the reading, now sooner and now later.
        for (let turn = 0; turn < round % 12; turn += 1) await new Promise(setImmediate)
        put('a', 'y'.repeat(3_000_000))
        const { text, hash } = await reading
        if (hash === undefined) continue
        told += 1
        expect(hash).toBe(hashes.get(text[0]!))
      }
      expect(told).toBeLessThan(60)
    }))

  it('stops when the caller stops', () =>
    inWorkspace(async ({ put, at, call }) => {
      put('huge.log', 'x'.repeat(9000))
      truncateSync(at('huge.log'), 200_000_000_000)
      const stop = new AbortController()
      const outcome = call('read', { path: 'huge.log', line: 2 }, { signal: stop.signal })
      setImmediate(() => stop.abort())
      await expect(outcome).rejects.toMatchObject({ code: 'cancelled', started: 'no' })
    }))
})
