import { createHookBus } from '@callgate/hooks'
import type { CallgateEvents, Progress } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { gatewayOf, tool } from './tools.ts'

async function resultOf(make: () => unknown, hooked = false) {
  const hooks = createHookBus<CallgateEvents>()
  if (hooked) hooks.on('tool_execution', ({ next }) => next())
  const gateway = gatewayOf([tool('t', make)], { hooks })
  return gateway.dispatch({ name: 't', arguments: {} })
}

function streamOf(...chunks: readonly unknown[]): ReadableStream {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

async function* later(...values: readonly unknown[]): AsyncGenerator {
  for (const value of values) yield await Promise.resolve(value)
}

function* now(...values: readonly unknown[]): Generator {
  yield* values
}

const png = new Uint8Array([137, 80, 78, 71, 255])

const bodies: readonly (readonly [name: string, make: () => unknown, data: unknown])[] = [
  ['a response of JSON', () => Response.json({ a: [1] }), { a: [1] }],
  ['a response of text', () => new Response('文'), '文'],
  [
    'a response of text in other characters',
    () =>
      new Response(new Uint8Array([0xd6, 0xd0, 0xce, 0xc4]), {
        headers: { 'content-type': 'text/html; charset="GBK"' },
      }),
    '中文',
  ],
  ['a response without a body', () => new Response(null), null],
  ['a blob of text', () => new Blob(['a', 'b'], { type: 'text/plain' }), 'ab'],
  ['a blob of no type', () => new Blob(['a']), 'a'],
  [
    'a stream of bytes that tears a character',
    () => streamOf(bytes('文').slice(0, 1), bytes('文').slice(1)),
    '文',
  ],
  ['a stream of texts', () => streamOf('a', 'b'), 'ab'],
  ['an async generator of texts', () => later('a', 'b'), 'ab'],
  ['an async generator of values', () => later({ n: 1n }, 2), [{ n: '1' }, 2]],
  ['a generator', () => now(1, 'b'), [1, 'b']],
  ['a generator of nothing', () => now(), null],
]

describe('what a function returns to be read', () => {
  it.each(bodies)('%s is read, at once, later, and inside hooks', async (_, make, data) => {
    for (const result of [
      await resultOf(make),
      await resultOf(async () => make()),
      await resultOf(make, true),
    ]) {
      expect(result).toMatchObject({ status: 'ok', data })
    }
  })

  it('is media where it is no text', async () => {
    const image = { type: 'image', mediaType: 'image/png', data: png }
    expect((await resultOf(() => new Blob([png], { type: 'image/png' }))).content).toEqual([image])
    expect((await resultOf(() => streamOf(png))).content).toEqual([
      { type: 'file', mediaType: 'application/octet-stream', data: png },
    ])
  })

  it('is a failure of the tool where the response says so, or the stream breaks', async () => {
    expect(await resultOf(() => Response.json({ why: 'gone' }, { status: 404 }))).toMatchObject({
      status: 'error',
      data: { why: 'gone' },
      error: { code: 'tool_failed' },
      metadata: { backend: { status: 404 } },
    })
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new Error('reset')),
    })
    expect((await resultOf(() => broken)).error).toMatchObject({
      code: 'tool_failed',
      message: 'reset',
    })
  })

  it('is refused where it is too long, and its source let go', async () => {
    let done = false
    const endless = async function* (): AsyncGenerator {
      try {
        for (;;) yield new Uint8Array(1024 * 1024)
      } finally {
        done = true
      }
    }
    expect((await resultOf(endless)).error).toMatchObject({
      code: 'tool_failed',
      message: expect.stringContaining('16 MiB') as string,
    })
    await expect.poll(() => done).toBe(true)
    const numbers = function* (): Generator {
      for (let n = 0; ; n++) yield n
    }
    expect((await resultOf(numbers)).error?.message).toContain('10000 values')
  })

  it('ends at a stop, and its source is let go', async () => {
    let cancelled = false
    const stop = new AbortController()
    const gateway = gatewayOf([
      tool('t', () => new ReadableStream({ cancel: () => void (cancelled = true) })),
    ])
    const running = gateway.dispatch({ name: 't', arguments: {} }, { signal: stop.signal })
    setImmediate(() => stop.abort())
    expect((await running).status).toBe('cancelled')
    await expect.poll(() => cancelled).toBe(true)
  })

  it('tells its texts as they come', async () => {
    const seen: Progress[] = []
    const gateway = gatewayOf([tool('t', () => later('a', 'b'))])
    const onProgress = (progress: Progress): void => void seen.push(progress)
    await gateway.dispatch({ id: 'c', name: 't', arguments: {} }, { onProgress })
    expect(seen.map(({ partial }) => partial)).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ])
  })

  it('an object at which nobody can look, given later, is an answer too', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const result = await resultOf(async () => ({ hidden: proxy }))
    expect(result.data).toEqual({ hidden: expect.stringContaining('unreadable') as string })
  })
})
