import { describe, expect, it } from 'vitest'

import { latch } from './latch.ts'
import { read, send } from './read.ts'

describe('streams of events (D13)', () => {
  it('passes events on and gives all of them', async () => {
    const { output, context } = await read((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(': hello\n\nid: 1\nevent: tick\ndata: {"n":1}\n\ndata: two\ndata: lines\r\n')
      response.end('\r\ndata: last')
    })
    expect(output.data).toEqual([
      { event: 'tick', id: '1', data: { n: 1 } },
      { id: '1', data: 'two\nlines' },
      { id: '1', data: 'last' },
    ])
    expect(context.partials).toEqual(['{"n":1}', 'two\nlines', 'last'])
  })

  it('gives no event the type of one before that had no data', async () => {
    const { output } = await read(send('text/event-stream', 'event: ping\n\ndata: hello\n\n'))
    expect(output.data).toEqual([{ data: 'hello' }])
  })

  it('leaves a line end at the end out of the data', async () => {
    const { output } = await read(send('text/event-stream', 'data: one\r\rdata: last\r'))
    expect(output.data).toEqual([{ data: 'one' }, { data: 'last' }])
  })

  it('takes lines and characters in pieces', async () => {
    const pieces = [...Buffer.from('data: é\r\ndata: b\r\n\r\ndata: c\r\rdata: d\n\n')]
    const { output } = await read(async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const piece of pieces) {
        // oxlint-disable-next-line no-await-in-loop -- each in a turn of its own
        await new Promise((resolve) => response.write(Buffer.from([piece]), resolve))
      }
      response.end()
    })
    expect(output.data).toEqual([{ data: 'é\nb' }, { data: 'c' }, { data: 'd' }])
  })

  it('reads lines of JSON', async () => {
    const { output } = await read(send('application/x-ndjson', '{"a":1}\n\n{"a":2}'))
    expect(output.data).toEqual([{ data: { a: 1 } }, { data: { a: 2 } }])
  })

  it('ends a stream that does not', async () => {
    const { output } = await read(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write('data: 1\n\ndata: 2\n\ndata: 3\n\n')
      },
      { events: 2 },
    )
    expect(output.data).toHaveLength(2)
    expect(output.metadata).toMatchObject({ cut: true })
  })

  it.each([
    ['text/event-stream', 'data: 1\n\ndata: 2\n\n'],
    ['text/event-stream', 'data: 1\n\ndata: 2'],
    ['text/event-stream', 'data: 1\n\ndata: 2\n\n: bye\n\n'],
    ['application/x-ndjson', '1\n2\n\n'],
    ['application/x-ndjson', '1\n2'],
  ])('does not say that a stream of %s was cut that ends at the limit: %j', async (type, body) => {
    const { output } = await read(send(type, body), { events: 2 })
    expect(output.data).toEqual([{ data: 1 }, { data: 2 }])
    expect(output.metadata).not.toHaveProperty('cut')
  })

  it.each([
    ['text/event-stream', 'data: 1\n\ndata: 2\n\ndata: 3'],
    ['application/x-ndjson', '1\n2\n3'],
  ])('says that a stream of %s was cut whose end did not fit', async (type, body) => {
    const { output, context } = await read(send(type, body), { events: 2 })
    expect(output.data).toEqual([{ data: 1 }, { data: 2 }])
    expect(output.metadata).toMatchObject({ cut: true })
    expect(context.partials).toEqual(['1', '2'])
  })

  it.each([
    ['stays open', false],
    ['stays open and only says so', true],
  ])('ends a stream at the limit that %s, and the connection with it', async (_name, speaks) => {
    const closed = latch()
    const { output } = await read(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write('data: 1\n\ndata: 2\n\n')
        const speaking = speaks && setInterval(() => response.write(':\n'), 20)
        response.once('close', () => {
          if (speaking) clearInterval(speaking)
          closed.open()
        })
      },
      { events: 2 },
    )
    expect(output.data).toHaveLength(2)
    expect(output.metadata).toMatchObject({ cut: true })
    await closed.opened
  })
})
