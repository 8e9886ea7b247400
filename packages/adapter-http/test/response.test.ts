import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'

import type { InvokeContext } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { declaredTool, testAdapter, testContext } from './host.ts'
import { read, send } from './read.ts'
import { serve } from './serve.ts'

describe('answers (D13)', () => {
  it.each([
    'application/json',
    'application/problem+json; charset=utf-8',
    'application/vnd.x+json',
  ])('%s is a value', async (type) => {
    expect((await read(send(type, '{"a":[1]}'))).output).toMatchObject({ data: { a: [1] } })
  })

  it('keeps every digit of an integer that a double cannot hold', async () => {
    const { output } = await read(
      send('application/json', '{"id":12345678901234567890,"n":0.1234567890123456789}'),
    )
    expect(output.data).toEqual({ id: '12345678901234567890', n: 0.123_456_789_012_345_68 })
  })

  it.each(Array.from({ length: 20 }, (_, index) => index))(
    'finds such an integer wherever it stands: %i',
    async (before) => {
      const { output } = await read(
        send('application/json', `{"${'k'.repeat(before)}":-9007199254740993}`),
      )
      expect(output.data).toEqual({ ['k'.repeat(before)]: '-9007199254740993' })
    },
  )

  it.each([
    ['1e400', '1e400'],
    ['-1.5E+999', '-1.5E+999'],
    [`1${'0'.repeat(309)}.5`, `1${'0'.repeat(309)}.5`],
    [`${'9'.repeat(300)}e10`, `${'9'.repeat(300)}e10`],
    ['1e308', 1e308],
    ['1e-400', 0],
    ['"1e400"', '1e400'],
  ])(
    'keeps what was written of a number that is too large for a double: %s',
    async (json, data) => {
      expect((await read(send('application/json', json))).output.data).toBe(data)
      const spaced = await read(send('application/json', `{"a": [ ${json} ], "b":${json}}`))
      expect(spaced.output.data).toEqual({ a: [data], b: data })
    },
  )

  it.each(['<html>', '{"a":', '{"a":1}}'])(
    'what says JSON and is none is text: %s',
    async (text) => {
      const { output } = await read(send('application/json', text))
      expect(output.data).toBe(text)
      expect(output.content).toEqual([
        { type: 'text', text },
        { type: 'text', text: '[announced as JSON, but it does not parse]' },
      ])
      expect(output.metadata).toMatchObject({ note: 'announced as JSON, but it does not parse' })
    },
  )

  it.each([
    'text/plain; charset=iso-8859-1',
    'text/plain; profile="x; charset=utf-8"; charset="iso-8859-1"',
  ])('text is decoded by its charset: %s', async (type) => {
    const { output } = await read(send(type, Buffer.from([0xe9])))
    expect(output.content).toEqual([{ type: 'text', text: 'é' }])
  })

  it('what names no type is text where it is UTF-8', async () => {
    expect((await read(send('', 'plain'))).output.content).toEqual([
      { type: 'text', text: 'plain' },
    ])
  })

  it('what names no type and is not UTF-8 is bytes', async () => {
    const { output, context } = await read(send('', Buffer.from([0xff, 0])))
    expect(output.data).toMatchObject({ blobId: 'blob-1', bytes: 2 })
    expect(context.blobs[0]?.mediaType).toBe('application/octet-stream')
  })

  it('bytes go to a blob with type and name', async () => {
    const { output, context } = await read(
      send('application/pdf', '%PDF', { 'content-disposition': 'attachment; filename="../a.pdf"' }),
    )
    expect(output.data).toEqual({
      blobId: 'blob-1',
      bytes: 4,
      mediaType: 'application/pdf',
      name: 'a.pdf',
    })
    expect(Buffer.concat(context.blobs[0]?.chunks ?? []).toString()).toBe('%PDF')
  })

  it.each([
    ['filename="a; b.pdf"', 'a; b.pdf'],
    ['filename="the \\"a\\".pdf"', 'the "a".pdf'],
    ['filename=a.pdf; size=4', 'a.pdf'],
    ['filename="C:\\\\b\\\\a.pdf"', 'a.pdf'],
    [`filename="x.pdf"; filename*=UTF-8''%E5%90%88%E5%90%8C.pdf`, '合同.pdf'],
    [`filename*=utf-8'zh'..%2F%E5%90%88.pdf`, '合.pdf'],
    [`filename*=UTF-8''%E5%9; filename="x.pdf"`, 'x.pdf'],
    [`filename*=UTF-8''a%0D%0Ab%00.pdf`, 'ab.pdf'],
    [`filename="${Buffer.from('合同.pdf').toString('latin1')}"`, '合同.pdf'],
    ['filename="caf\u00e9.pdf"', 'café.pdf'],
    ['filename=""', undefined],
  ])('takes the name of %s', async (disposition, name) => {
    const { context } = await read(
      send('application/pdf', '%PDF', { 'content-disposition': `attachment; ${disposition}` }),
    )
    expect(context.blobs[0]?.name).toBe(name)
  })

  it('a small image is shown', async () => {
    const { output } = await read(send('image/png', Buffer.from([1, 2])))
    expect(output.content).toMatchObject([{ type: 'image', mediaType: 'image/png' }])
  })

  it('an empty body is a status', async () => {
    const { output } = await read((_, response) => {
      response.writeHead(204).end()
    })
    expect(output.data).toEqual({ status: 204 })
  })

  it('an answer to HEAD has none, whatever it announces', async () => {
    const server = await serve(send('application/json', '', { 'content-encoding': 'gzip' }))
    const { invoke } = testAdapter({ allow: ['127.0.0.1'] })
    const tool = declaredTool({ url: `${server.origin}/`, method: 'HEAD' })
    expect((await invoke(tool)).data).toEqual({ status: 200 })
  })

  it('shows chosen headers only', async () => {
    const { output } = await read(
      send('text/plain', 'x', { 'x-request-id': 'r1', 'set-cookie': 's=1', etag: '"e"' }),
    )
    expect(output.metadata).toEqual({
      status: 200,
      headers: { 'content-type': 'text/plain', 'x-request-id': 'r1', etag: '"e"' },
    })
  })
})

describe('limits (D12)', () => {
  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ])('%s is undone', async (coding, compress) => {
    const body = compress('{"a":1}')
    const { output } = await read(send('application/json', body, { 'content-encoding': coding }))
    expect(output.data).toEqual({ a: 1 })
  })

  it('deflate is undone also where the stream is bare', async () => {
    const list = Array.from({ length: 20_000 }, (_, index) => index)
    const body = deflateRawSync(JSON.stringify(list))
    const { output } = await read(send('application/json', body, { 'content-encoding': 'deflate' }))
    expect(output.data).toEqual(list)
  })

  it('two codings are undone in turn', async () => {
    const body = gzipSync(deflateSync('{"a":1}'))
    const { output } = await read(
      send('application/json', body, { 'content-encoding': 'deflate, gzip' }),
    )
    expect(output.data).toEqual({ a: 1 })
  })

  it.each(['gzip', 'br', 'deflate'])('%s of nothing at all is nothing', async (coding) => {
    const { output } = await read((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': coding })
      response.flushHeaders()
      response.end()
    })
    expect(output.data).toEqual({ status: 200 })
  })

  it('a coding that ends too early is a fault of the backend', async () => {
    const body = gzipSync('{"a":1}').subarray(0, 20)
    await expect(
      read(send('application/json', body, { 'content-encoding': 'gzip' })),
    ).rejects.toMatchObject({
      code: 'backend_error',
      started: 'yes',
      message: expect.stringContaining('broke off its answer'),
    })
  })

  it('deflate that ends too early is one too', async () => {
    const body = deflateRawSync('{"a":1}').subarray(0, 5)
    await expect(
      read(send('application/json', body, { 'content-encoding': 'deflate' })),
    ).rejects.toMatchObject({ message: expect.stringContaining('broke off its answer') })
  })

  it('a coding that nobody knows stays bytes', async () => {
    const { output } = await read(send('application/json', 'xx', { 'content-encoding': 'exi' }))
    expect(output.data).toMatchObject({ bytes: 2, mediaType: 'application/octet-stream' })
  })

  it.each(['gzip', 'br', 'deflate'])(
    'what says %s and is not is a fault of the backend, told as what it is',
    async (coding) => {
      await expect(
        read(send('application/json', 'xot this one', { 'content-encoding': coding })),
      ).rejects.toMatchObject({
        code: 'backend_error',
        started: 'yes',
        message: expect.stringContaining('not in the coding it names, or damaged'),
      })
    },
  )

  it('the head of a long text ends with a whole character', async () => {
    // One byte, then two for each: the cut falls within a character.
    const { output } = await read(send('text/plain', `x${'é'.repeat(40_000)}`), {
      inlineBytes: 70_000,
    })
    const [part] = output.content ?? []
    expect(part).toMatchObject({ text: expect.stringMatching(/^xé+\n\[the whole answer/) })
  })

  it('closes the blob of an answer that is broken off', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' })
      response.write('x'.repeat(200_000))
    })
    const { invoke } = testAdapter({ allow: ['127.0.0.1'], limits: { inlineBytes: 1000 } })
    const stop = new AbortController()
    const context = testContext(stop.signal)
    let closed = 0
    const blob: InvokeContext['blob'] = (options) => {
      const { write, close } = context.blob(options)
      stop.abort()
      return {
        write,
        close: () => {
          closed += 1
          return close()
        },
      }
    }
    const called = invoke(declaredTool({ url: `${server.origin}/` }), {}, { ...context, blob })
    await expect(called).rejects.toMatchObject({ code: 'cancelled', started: 'yes' })
    expect(closed).toBe(1)
  })

  it.each([
    ['text/plain', 'x'.repeat(5000)],
    ['application/pdf', '%PDF'],
  ])('a store that does not keep %s is no fault of the server', async (type, body) => {
    const server = await serve(send(type, body))
    const { invoke } = testAdapter({ allow: ['127.0.0.1'], limits: { inlineBytes: 1000 } })
    const full = new RangeError('A blob holds at most 3 bytes.')
    const blob: InvokeContext['blob'] = () => ({
      write: () => Promise.reject(full),
      close: async () => ({ blobId: 'b', bytes: 0 }),
    })
    const called = invoke(
      declaredTool({ url: `${server.origin}/` }),
      {},
      { ...testContext(), blob },
    )
    await expect(called).rejects.toMatchObject({
      code: 'internal',
      rule: 'blob',
      started: 'yes',
      cause: full,
    })
  })

  it('a long text goes to a blob, and its head is shown', async () => {
    const { output, context } = await read(send('text/plain', 'x'.repeat(5000)), {
      inlineBytes: 1000,
    })
    expect(output.data).toEqual({ blobId: 'blob-1', bytes: 5000, mediaType: 'text/plain' })
    expect(output.content?.[0]).toMatchObject({
      text: expect.stringContaining('5000 bytes, is blob blob-1'),
    })
    expect(Buffer.concat(context.blobs[0]?.chunks ?? []).length).toBe(5000)
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
  ])('counts decoded bytes, so that a bomb in %s ends early', async (coding, compress) => {
    const bomb = compress(Buffer.alloc(50_000_000))
    await expect(
      read(send('application/octet-stream', bomb, { 'content-encoding': coding }), {
        responseBytes: 1_000_000,
      }),
    ).rejects.toMatchObject({ code: 'tool_failed', rule: 'response-size', started: 'yes' })
  })
})
