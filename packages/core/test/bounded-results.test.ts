import { createHookBus } from '@callgate/hooks'
import type { CallgateEvents, ContentPart, ToolResult } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { toolOutput } from '../src/index.ts'
import { gatewayOf, tool } from './tools.ts'

async function resultOf(value: unknown, more = {}, task?: string): Promise<ToolResult> {
  const gateway = gatewayOf([tool('t', () => value)], more)
  return gateway.dispatch({ name: 't', arguments: {} }, task === undefined ? {} : { task })
}

function textsOf({ content }: ToolResult): readonly string[] {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** Few objects, but 2^levels of them when written out. */
function graph(levels: number): object {
  let object: object = { x: 1 }
  for (let level = 0; level < levels; level++) object = { l: object, r: object }
  return object
}

const beyond = expect.stringMatching(/^\[the tool gave more than 16 MiB/) as string

describe('what has no end when written out', { timeout: 20_000 }, () => {
  it.each<[string, () => unknown]>([
    ['an object', () => graph(100)],
    ['a list', () => [graph(100)]],
    ['a map', () => new Map([['a', graph(100)]])],
    ['what toJSON gives', () => ({ toJSON: () => graph(100) })],
    ['ten million places', () => Array.from({ length: 10_000_000 }, () => 0)],
    [
      'one long list again and again',
      () => {
        const list = Array.from({ length: 100_000 }, (_, n) => n)
        return Array.from({ length: 10_000 }, () => list)
      },
    ],
    [
      'one long text again and again',
      () => {
        const text = 'x'.repeat(1_000_000)
        return Array.from({ length: 10_000 }, () => ({ text }))
      },
    ],
  ])('%s is cut, and says so', async (_, make) => {
    const result = await resultOf(make())
    expect(result.status).toBe('ok')
    expect(sizeOf(result.data)).toBeLessThanOrEqual(110_000)
    expect(textsOf(result)).toContainEqual(beyond)
    expect(result.metadata.truncated).toBeDefined()
  })

  it('says so also where no cap is reached, and where hooks see the result', async () => {
    const policy = { resultCapBytes: 1_000_000_000 }
    const hooks = createHookBus<CallgateEvents>()
    hooks.on('transform_tool_result', () => undefined, { kind: 'transform' })
    for (const more of [{ policy }, { policy, hooks }]) {
      const result = await resultOf(graph(100), more)
      expect(textsOf(result)).toContainEqual(beyond)
      expect(result.metadata.truncated).toBeDefined()
    }
  })

  it('as arguments is refused', async () => {
    const gateway = gatewayOf([tool('t', () => 1)])
    const { error } = await gateway.dispatch({ name: 't', arguments: graph(100) })
    expect(error).toMatchObject({ code: 'malformed_call' })
  })

  it('in what a hook makes of a result is cut too', async () => {
    const hooks = createHookBus<CallgateEvents>()
    hooks.on('transform_tool_result', () => ({ action: 'modify', data: graph(100) }) as never, {
      kind: 'transform',
    })
    expect(sizeOf((await resultOf(1, { hooks })).data)).toBeLessThanOrEqual(110_000)
  })
})

describe('a result of some megabytes', { timeout: 20_000 }, () => {
  const rows = Array.from({ length: 30_000 }, (_, id) => ({
    id,
    title: id === 20_000 ? 'Login fails' : `Something about colours, number ${id}`,
    state: 'open',
  }))

  it('is cut to its head, and kept whole', async () => {
    const gateway = gatewayOf([tool('t', () => rows)])
    const result = await gateway.dispatch({ name: 't', arguments: {} })
    const kept = result.data as typeof rows
    expect(kept).toEqual(rows.slice(0, kept.length))
    expect(kept.length).toBeGreaterThan(1000)
    const { totalBytes, blobId } = result.metadata.truncated!
    expect(totalBytes).toBe(sizeOf(rows))
    const read = await gateway.dispatch({
      name: 'result_read',
      arguments: { blob: blobId, from_line: 30_000 * 5 - 3, lines: 3 },
    })
    expect((read.data as { text: string }).text).toContain('"id": 29999')
  })

  it('is cut to what fits the task, wherever it stands', async () => {
    const { data } = await resultOf(rows, {}, 'find out why logins fail')
    expect((data as typeof rows).map(({ id }) => id)).toContain(20_000)
  })

  it('of text that JSON escapes is cut to the cap', async () => {
    const { data } = await resultOf({ log: '"\n'.repeat(200_000) })
    expect(sizeOf(data)).toBeLessThanOrEqual(100_100)
    expect(sizeOf(data)).toBeGreaterThan(90_000)
  })

  it('with more names than fit is cut to the first', async () => {
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`key${n}`, n]))
    const { data } = await resultOf(wide)
    expect(sizeOf(data)).toBeLessThanOrEqual(100_000)
    expect(Object.entries(data as object)[0]).toEqual(['key0', 0])
  })
})

describe('content of many parts', () => {
  it('of text is one text, and what is counted is what is shown', async () => {
    const content = Array.from({ length: 100_000 }, () => ({ type: 'text', text: 'a' }) as const)
    const result = await resultOf(toolOutput({ content }))
    expect(result.content).toHaveLength(2)
    expect(sizeOf(result.content)).toBeLessThan(160_000)
    expect(result.metadata.truncated).toMatchObject({ totalBytes: 199_999 })
    expect(result.metadata.truncated!.keptBytes).toBeLessThanOrEqual(100_000)
  })

  it('of media is cut to a thousand, and says so', async () => {
    const image: ContentPart = { type: 'image', mediaType: 'image/png', data: new Uint8Array([1]) }
    const result = await resultOf(
      toolOutput({ content: Array.from({ length: 3000 }, () => image) }),
    )
    expect(result.content).toHaveLength(1001)
    expect(textsOf(result)).toEqual([beyond])
    expect(result.metadata.truncated).toBeDefined()
  })
})

describe('bytes', () => {
  it('of a text count and are cut as text', async () => {
    const data = new TextEncoder().encode('文'.repeat(100_000))
    const result = await resultOf(
      toolOutput({ content: [{ type: 'file', mediaType: 'text/plain', data }] }),
    )
    const [part] = result.content as readonly { data: Uint8Array }[]
    expect(new TextDecoder().decode(part!.data)).toMatch(/^文+\n\[… \d+ bytes left out …\]\n文+$/)
    expect(result.metadata.truncated).toMatchObject({ totalBytes: 300_000 })
  })

  it('of media that are too long for anybody to be shown are named', async () => {
    const data = new Uint8Array(17 * 1024 * 1024)
    const result = await resultOf(
      toolOutput({ content: [{ type: 'image', mediaType: 'image/png', data }] }),
    )
    expect(textsOf(result)).toEqual(['[image: too long to be shown]', beyond])
  })
})

describe('what cannot be kept whole', () => {
  it('is said to be lost, and what to do', async () => {
    const full = (): never => {
      throw new Error('full')
    }
    const ports = { blobs: { open: full, read: full } }
    const result = await resultOf('x'.repeat(200_000), { ports })
    expect(textsOf(result).at(-1)).toBe(
      '[the whole, 200000 bytes, could not be kept: what is left out is lost; ask the tool for less at once, by a filter, a range or a page]',
    )
    expect(result.metadata.truncated).not.toHaveProperty('blobId')
  })
})

describe('a result that was given', () => {
  it('does not change with what the tool keeps', async () => {
    const state = { n: 0, list: [{ n: 0 }] }
    const bytes = new Uint8Array([0])
    const part = { type: 'image', mediaType: 'image/png', data: bytes } as const
    const text = { type: 'text', text: '0' } as const
    const gateway = gatewayOf([
      tool('data', () => {
        state.n++
        state.list[0]!.n++
        return state
      }),
      tool('content', () => toolOutput({ content: [part, text] })),
    ])
    const first = await gateway.dispatch({ name: 'data', arguments: {} })
    await gateway.dispatch({ name: 'data', arguments: {} })
    expect(first.data).toEqual({ n: 1, list: [{ n: 1 }] })
    const { content } = await gateway.dispatch({ name: 'content', arguments: {} })
    bytes[0] = 7
    Object.assign(text, { text: '7' })
    expect(content).toEqual([
      { type: 'image', mediaType: 'image/png', data: new Uint8Array([0]) },
      { type: 'text', text: '0' },
    ])
  })
})
