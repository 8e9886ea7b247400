import type { CallContext, ToolResult } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { toolOutput, type Gateway } from '../src/index.ts'
import { gatewayOf, tool } from './tools.ts'

const context: CallContext = { sessionId: 's' }

function gatewayFor(value: unknown, resultCapBytes = 1000): Gateway {
  return gatewayOf([tool('t', () => value)], { policy: { resultCapBytes } })
}

async function shorten(
  value: unknown,
  more: CallContext = {},
): Promise<{ gateway: Gateway; result: ToolResult }> {
  const gateway = gatewayFor(value)
  return {
    gateway,
    result: await gateway.dispatch({ name: 't', arguments: {} }, { ...context, ...more }),
  }
}

function textsOf({ content }: ToolResult): readonly string[] {
  return content.map((part) => (part.type === 'text' ? part.text : ''))
}

const issues = Array.from({ length: 300 }, (_, n) => ({
  id: n,
  title:
    n === 200 ? 'Login fails with an expired password' : `Something about colours, number ${n}`,
}))

describe('a list that is too long', () => {
  it('is cut to the entries that fit the task best, in their order, and says how many there are', async () => {
    const { result } = await shorten(issues, {
      task: 'find out why the login with a password fails',
    })
    const kept = result.data as readonly { id: number }[]
    expect(kept.map(({ id }) => id)).toContain(200)
    expect(kept.map(({ id }) => id)).toEqual(kept.map(({ id }) => id).toSorted((a, b) => a - b))
    expect(JSON.parse(textsOf(result)[0]!)).toEqual(kept)
    expect(textsOf(result)[1]).toBe(`[${kept.length} of 300 entries, those that fit the task best]`)
  })

  it('is cut to the first entries where there is no task, or none fits it', async () => {
    for (const task of [undefined, 'zebra']) {
      const { result } = await shorten(issues, task === undefined ? {} : { task })
      expect((result.data as readonly { id: number }[])[0]?.id).toBe(0)
    }
  })

  it('with one entry that is too long by itself is cut as text', async () => {
    const { result } = await shorten(['x'.repeat(5000)])
    expect(textsOf(result)[0]).toMatch(/bytes left out/)
    expect(Buffer.byteLength(textsOf(result)[0]!)).toBeLessThan(1100)
  })
})

describe('the whole of a shortened result', () => {
  const text = Array.from({ length: 5000 }, (_, n) => `line ${n + 1} 文`).join('\n')
  const blobOf = (result: ToolResult): string => result.metadata.truncated!.blobId!

  it('is read page by page, by lines and by bytes, without tearing a character', async () => {
    const { gateway, result } = await shorten(text)
    expect(textsOf(result).at(-1)).toContain(blobOf(result))
    expect(gateway.modelTools().map(({ name }) => name)).toContain('result_read')
    const read = async (
      args: object,
    ): Promise<{ text: string; next_line: number | null; next_byte: number | null }> =>
      (
        await gateway.dispatch(
          { name: 'result_read', arguments: { blob: blobOf(result), ...args } },
          context,
        )
      ).data as never
    expect(await read({ from_line: 4000, lines: 2 })).toMatchObject({
      text: 'line 4000 文\nline 4001 文',
      next_line: 4002,
    })
    expect(await read({ from_line: 5000 })).toMatchObject({ text: 'line 5000 文', next_line: null })
    let whole = ''
    for (let at: number | null = 0; at !== null;) {
      const page = await read({ from_byte: at, bytes: 997 })
      whole += page.text
      at = page.next_byte
    }
    expect(whole).toBe(text)
  }, 60_000)

  it("is nobody else's: another session is told that there is none", async () => {
    const { gateway, result } = await shorten(text)
    const { error } = await gateway.dispatch(
      { name: 'result_read', arguments: { blob: blobOf(result) } },
      { sessionId: 'other' },
    )
    expect(error).toMatchObject({
      code: 'tool_failed',
      message: expect.stringContaining('no kept result') as string,
    })
  })

  it('with lines of megabytes is read in bounded time', async () => {
    const { gateway, result } = await shorten(`${'a'.repeat(20_000_000)}\nsecond`)
    const page = await gateway.dispatch(
      { name: 'result_read', arguments: { blob: blobOf(result), from_line: 2 } },
      context,
    )
    expect(page.data).toMatchObject({ text: 'second', next_line: null })
  })

  it.each([
    ['many lines', Array.from({ length: 2000 }, () => '语'.repeat(300)).join('\n')],
    ['one line', '语'.repeat(200_000)],
    ['one line of pairs', `x${'😀'.repeat(200_000)}`],
  ])('of %s of wide characters is read in pages that are whole themselves', async (_, wide) => {
    const gateway = gatewayFor(wide, 100_000)
    const result = await gateway.dispatch({ name: 't', arguments: {} }, context)
    const page = await gateway.dispatch(
      { name: 'result_read', arguments: { blob: blobOf(result) } },
      context,
    )
    expect(page.metadata.truncated).toBeUndefined()
    const shown = (page.data as { text: string }).text
    expect(wide.startsWith(shown)).toBe(true)
    expect(shown.length).toBeGreaterThan(10_000)
    expect(shown.isWellFormed()).toBe(true)
  })

  it.each([
    ['one line that is longer than a page', 'x'.repeat(334), true],
    ['one line that is longer than a page in bytes', '语'.repeat(112), true],
    ['one line as long as a page', 'x'.repeat(333), false],
  ])('of %s says whether the page has all of it', async (_, line, isCut) => {
    const { gateway, result } = await shorten(`${line}\n${'short\n'.repeat(200)}`)
    const { data } = await gateway.dispatch(
      { name: 'result_read', arguments: { blob: blobOf(result), lines: 1 } },
      context,
    )
    const { text: shown, note } = data as { text: string; note?: string }
    expect(shown === line).toBe(!isCut)
    expect(note?.includes('from_byte') ?? false).toBe(isCut)
  })

  it('comes to its end by pages of one byte', async () => {
    const gateway = gatewayFor(`语${'x'.repeat(2000)}`)
    const result = await gateway.dispatch({ name: 't', arguments: {} }, context)
    const page = await gateway.dispatch(
      { name: 'result_read', arguments: { blob: blobOf(result), from_byte: 0, bytes: 1 } },
      context,
    )
    expect(page.data).toEqual({ text: '语', from_byte: 0, next_byte: 3 })
  })

  it('is not offered while nothing was shortened', async () => {
    const { gateway } = await shorten('short')
    expect(gateway.modelTools().map(({ name }) => name)).not.toContain('result_read')
  })
})

describe('caps', () => {
  it('hold for data too, whatever the text beside it looks like', async () => {
    const data = { rows: Array.from({ length: 10_000 }, (_, id) => ({ id })) }
    const content = [{ type: 'text', text: '[see the data]' }] as const
    const { result } = await shorten(toolOutput({ data, content }))
    expect(JSON.stringify(result.data).length).toBeLessThanOrEqual(1000)
    expect(result.metadata.truncated?.blobId).toBeDefined()
  })

  it('count tokens too, at four bytes each', async () => {
    const gateway = gatewayOf([tool('t', () => 'x'.repeat(5000))], {
      policy: { resultCapTokens: 100 },
    })
    const { metadata } = await gateway.dispatch({ name: 't', arguments: {} })
    expect(metadata.truncated!.keptBytes).toBeLessThanOrEqual(400)
  })

  it('keep what is short beside what is long', async () => {
    const gateway = gatewayOf(
      [tool('t', () => ({ summary: 'all is well', log: 'x'.repeat(5000) }))],
      { policy: { resultCapBytes: 1000 } },
    )
    const { data, content } = await gateway.dispatch({ name: 't', arguments: {} })
    expect(data).toEqual({
      summary: 'all is well',
      log: expect.stringMatching(/^x+\n\[… \d+ bytes left out …\]\nx+$/) as string,
    })
    expect(JSON.parse((content[0] as { text: string }).text)).toEqual(data)
    expect(Buffer.byteLength((content[0] as { text: string }).text)).toBeLessThanOrEqual(1000)
  })

  it('leave data what it is, whatever stands beside it', async () => {
    const rows = Array.from({ length: 500 }, (_, n) => ({ n, text: `row ${n}` }))
    for (const text of ['500 rows', 'y'.repeat(5000)]) {
      const content = [{ type: 'text', text }] as const
      const gateway = gatewayOf(
        [tool('t', () => toolOutput({ data: { rows, total: 500 }, content }))],
        {
          policy: { resultCapBytes: 1000 },
        },
      )
      const result = await gateway.dispatch({ name: 't', arguments: {} }, context)
      const data = result.data as { rows: unknown[]; total: number }
      expect(data.total).toBe(500)
      expect(data.rows[0]).toEqual(rows[0])
      expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThanOrEqual(1000)
      expect(textsOf(result)[0]!.slice(0, 3)).toBe(text.slice(0, 3))
      const { data: read } = await gateway.dispatch(
        {
          name: 'result_read',
          arguments: { blob: result.metadata.truncated!.blobId, from_line: 1900, lines: 20 },
        },
        context,
      )
      expect((read as { text: string }).text).toContain('"text": "row 4')
    }
  })

  it('leave lists empty that are, where there is hardly room for the names', async () => {
    const lists = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`list${n}`, []]))
    // The names take 10,892 bytes, and each list two.
    const { data } = await gatewayFor(lists, 12_400).dispatch({ name: 't', arguments: {} })
    const kept = Object.values(data as object)
    expect(kept.length).toBeGreaterThan(500)
    expect(kept).toEqual(kept.map(() => []))
  })

  it.each([20, 100, 1000])(
    'hold for more texts of %i characters than each could have a part of, and keep some',
    async (length) => {
      const texts = Object.fromEntries(
        Array.from({ length: 1000 }, (_, n) => [
          `text${n}`,
          `${n} is ${'long '.repeat(length / 5)}`,
        ]),
      )
      const { data, content } = await gatewayFor(texts, 20_000).dispatch({
        name: 't',
        arguments: {},
      })
      expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThanOrEqual(20_000)
      expect(Buffer.byteLength(JSON.stringify(content))).toBeLessThan(30_000)
      const kept = Object.entries(data as { [name: string]: string })
      expect(kept.length).toBeGreaterThan(50)
      for (const [name, text] of kept) expect(text).toMatch(`${name.slice(4)} is long long `)
    },
  )

  it('hold for data of any form', async () => {
    const deep = (levels: number): unknown =>
      levels === 0 ? 'z'.repeat(5000) : { down: deep(levels - 1) }
    for (const value of [
      Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`field ${n}`, n])),
      [[['w'.repeat(5000)]]],
      deep(60),
      { ['k'.repeat(5000)]: 1 },
      { a: { b: ['文'.repeat(3000), '文'.repeat(3000)] }, c: 1n },
    ]) {
      const { result } = await shorten(value)
      expect(Buffer.byteLength(JSON.stringify(result.data))).toBeLessThanOrEqual(1100)
      expect(Array.isArray(result.data)).toBe(Array.isArray(value))
      expect(typeof result.data).toBe('object')
    }
  })
})
