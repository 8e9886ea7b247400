import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { HttpBody } from '../src/index.ts'
import { declaredTool, testAdapter } from './host.ts'
import { startServer, type SeenRequest, type TestServer } from './server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

async function send(
  body: HttpBody,
  args: Record<string, unknown>,
  extra: Record<string, unknown> = {},
): Promise<SeenRequest> {
  const { invoke } = testAdapter({ allow: ['127.0.0.1'] }, { KEY: 'k-secret' })
  const backend = { method: 'POST', baseUrl: server.origin, path: '/b', body, ...extra }
  await invoke(declaredTool(backend, Object.keys(args)), args)
  return server.last()
}

const parts = (request: SeenRequest): string[] => {
  const boundary = /boundary=(.*)$/.exec(request.headers['content-type'] ?? '')?.[1] ?? ''
  return request.body
    .toString()
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => part.replace(/^\r\n/, '').replace(/\r\n$/, ''))
}

describe('bodies (D5)', () => {
  it('writes JSON of any type', async () => {
    for (const value of [{ a: 1 }, [1, 2], 'text', 7, false, null]) {
      // oxlint-disable-next-line no-await-in-loop
      const request = await send({ argument: 'body' }, { body: value })
      expect(JSON.parse(request.body.toString())).toEqual(value)
      expect(request.headers['content-type']).toBe('application/json')
    }
  })

  it('sends no body where the argument is absent', async () => {
    const { invoke } = testAdapter({ allow: ['127.0.0.1'] })
    const backend = {
      method: 'POST',
      baseUrl: server.origin,
      path: '/b',
      body: { argument: 'body' },
    }
    await invoke(declaredTool(backend, ['body']))
    expect(server.last().body.length).toBe(0)
    expect(server.last().headers['content-type']).toBeUndefined()
  })

  it('fills declared content and leaves out what was not sent', async () => {
    const { invoke } = testAdapter({ allow: ['127.0.0.1'] }, { KEY: 'k-secret' })
    const content = {
      title: '{title}',
      note: 'for {who}: {{title}}',
      absent: '{maybe}',
      tags: ['fixed', '{tags...}'],
      key: '{env:KEY}',
      literal: '{other}',
    }
    const backend = { method: 'POST', baseUrl: server.origin, path: '/b', body: { content } }
    const tool = declaredTool(backend, ['title', 'who', 'maybe', 'tags'])
    await invoke(tool, { title: '{who}', who: '{env:KEY}', tags: ['a', 'b'] })
    expect(JSON.parse(server.last().body.toString())).toEqual({
      title: '{who}',
      note: 'for {env:KEY}: {who}',
      tags: ['fixed', 'a', 'b'],
      key: 'k-secret',
      literal: '{other}',
    })
  })

  it('writes form bodies: scalars, lists repeated, objects as JSON or by their style', async () => {
    const request = await send(
      {
        mediaType: 'application/x-www-form-urlencoded',
        argument: 'body',
        encoding: { deep: { style: 'deepObject' }, csv: { explode: false } },
      },
      {
        body: { a: '1&b=2', list: ['x', 'y z'], object: { k: 1 }, deep: { k: ['v'] }, csv: [1, 2] },
      },
    )
    expect(request.body.toString()).toBe(
      'a=1%26b%3D2&list=x&list=y+z&object=%7B%22k%22%3A1%7D&deep%5Bk%5D%5B0%5D=v&csv=1,2',
    )
  })

  it('writes a list of a form as JSON where that is its declared content', async () => {
    const body = {
      mediaType: 'application/x-www-form-urlencoded',
      argument: 'body',
      encoding: { rows: { contentType: 'application/json' } },
    }
    const request = await send(body, { body: { rows: [1, 'a'], tags: [1, 'a'] } })
    expect(request.body.toString()).toBe('rows=%5B1%2C%22a%22%5D&tags=1&tags=a')
  })

  it('writes multipart bodies: fields, JSON parts, files', async () => {
    const request = await send(
      {
        mediaType: 'multipart/form-data',
        argument: 'body',
        encoding: { file: { file: true }, meta: { contentType: 'application/vnd.x+json' } },
      },
      {
        body: {
          name: 'n',
          tags: ['a', 'b'],
          meta: { k: 1 },
          file: { content: 'aGk=', encoding: 'base64', filename: 'f.txt', mediaType: 'text/plain' },
        },
      },
    )
    expect(request.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
    expect(parts(request)).toEqual([
      'Content-Disposition: form-data; name="name"\r\n\r\nn',
      'Content-Disposition: form-data; name="tags"\r\n\r\na',
      'Content-Disposition: form-data; name="tags"\r\n\r\nb',
      'Content-Disposition: form-data; name="meta"\r\nContent-Type: application/vnd.x+json\r\n\r\n{"k":1}',
      'Content-Disposition: form-data; name="file"; filename="f.txt"\r\nContent-Type: text/plain\r\n\r\nhi',
    ])
  })

  it('keeps quotes and line breaks of a file name inside the name', async () => {
    const request = await send(
      { mediaType: 'multipart/form-data', content: { file: '{file}' } },
      { file: { filename: 'a"\r\nX: y', content: 'x' } },
    )
    expect(parts(request)[0]).toContain('filename="a%22%0D%0AX: y"\r\nContent-Type')
  })

  it('refuses a media type of a part that would begin a header', async () => {
    await expect(
      send(
        { mediaType: 'multipart/form-data', content: { file: '{file}' } },
        { file: { filename: 'a', content: 'x', mediaType: 'text/plain\r\nX: y' } },
      ),
    ).rejects.toMatchObject({ code: 'guard_refused', rule: 'multipart', parameter: 'file' })
  })

  it('writes bytes and text under their media type', async () => {
    const bytes = await send(
      { mediaType: 'application/octet-stream', argument: 'body' },
      { body: { content: '/wA=', encoding: 'base64' } },
    )
    expect([...bytes.body]).toEqual([255, 0])
    const text = await send({ mediaType: 'text/plain', argument: 'body' }, { body: 'plain é' })
    expect(text.body.toString()).toBe('plain é')
    expect(text.headers['content-type']).toBe('text/plain')
  })

  const windows1252 = Buffer.from('5 \u0080 \u0093\u009e\u0094\u0081ÿ', 'latin1')
  it.each([
    ['text/plain; charset=utf-8', 'é€', Buffer.from('é€')],
    ['text/plain; charset="UTF-16LE"', 'é€', Buffer.from('é€', 'utf16le')],
    ['text/csv; charset=ISO-8859-1', 'éÿ', Buffer.from([0xe9, 0xff])],
    ['application/xml;charset=latin1', 'éÿ', Buffer.from([0xe9, 0xff])],
    ['text/plain; charset=us-ascii', 'plain', Buffer.from('plain')],
    ['text/plain; charset=ascii', 'plain', Buffer.from('plain')],
    ["text/plain; charset='iso-8859-1'", 'é', Buffer.from([0xe9])],
    ['text/plain; profile="x; charset=gbk"; charset=latin1', 'é', Buffer.from([0xe9])],
    [String.raw`text/plain; profile="\"; charset=gbk"`, 'é', Buffer.from('é')],
    ['text/csv; charset=Windows-1252', '5 € “ž”\u0081ÿ', windows1252],
  ])('writes a text of %s in its charset', async (mediaType, body, bytes) => {
    const request = await send({ mediaType, argument: 'body' }, { body })
    expect(request.body).toEqual(bytes)
    expect(request.headers['content-type']).toBe(mediaType)
  })

  it('writes a text in the charset of the header, where the declaration sets that', async () => {
    const headers = { 'Content-Type': 'text/plain; charset=iso-8859-1' }
    const request = await send(
      { mediaType: 'text/plain', argument: 'body' },
      { body: 'é' },
      { headers },
    )
    expect([...request.body]).toEqual([0xe9])
  })

  it('writes a text in the charset of the last header, where the declaration sets several', async () => {
    const headers = {
      'Content-Type': 'text/plain',
      'content-type': 'text/plain; charset=iso-8859-1',
    }
    const body = { mediaType: 'text/plain', argument: 'body' }
    const request = await send(body, { body: 'é' }, { headers })
    expect(request.headers['content-type']).toBe(headers['content-type'])
    expect([...request.body]).toEqual([0xe9])
  })

  const latin1 = 'text/plain; charset=iso-8859-1'
  const sendField = (value: unknown, encoding: HttpBody['encoding'] = {}): Promise<SeenRequest> =>
    send({ mediaType: 'multipart/form-data', argument: 'body', encoding }, { body: { a: value } })

  it.each([
    ['é', { a: { contentType: latin1, file: true } }],
    [{ content: 'é' }, { a: { contentType: latin1, file: true } }],
    [{ content: 'é', filename: 'x', mediaType: latin1 }, {}],
  ])('writes the text of a file in its charset: %j', async (value, encoding) => {
    const request = await sendField(value, encoding)
    expect(request.body.toString('latin1')).toContain(`${latin1}\r\n\r\né\r\n`)
  })

  it.each([
    [{ content: '€', filename: 'x', mediaType: latin1 }, {}],
    [{ content: 'x', filename: 'x', mediaType: 'text/csv; charset=gbk' }, {}],
    [{ content: 'x', filename: 'x', mediaType: 'text/csv; charset=constructor' }, {}],
    ['x', { a: { contentType: 'text/csv; charset=gbk', file: true } }],
  ])(
    'refuses the text of a file that cannot be sent in its charset: %j',
    async (value, encoding) => {
      await expect(sendField(value, encoding)).rejects.toMatchObject({
        code: 'invalid_arguments',
        parameter: 'a',
        started: 'no',
      })
    },
  )

  it('writes a field of a multipart body in its charset', async () => {
    const contentType = 'text/plain; charset=iso-8859-1'
    const request = await send(
      { mediaType: 'multipart/form-data', argument: 'body', encoding: { a: { contentType } } },
      { body: { a: 'é' } },
    )
    expect(request.body.toString('latin1')).toContain(`${contentType}\r\n\r\né\r\n`)
  })

  it('leaves the bytes of a file as they are, whatever charset they are said to have', async () => {
    const contentType = 'text/csv; charset=windows-1252'
    const file = { content: 'gA==', encoding: 'base64' }
    const request = await send(
      {
        mediaType: 'multipart/form-data',
        argument: 'body',
        encoding: { a: { contentType, file: true } },
      },
      { body: { a: file } },
    )
    expect(request.body.toString('latin1')).toContain(`${contentType}\r\n\r\n\u0080\r\n`)
  })

  it.each([
    ['iso-8859-1', 'price: 5 €'],
    ['us-ascii', 'é'],
    ['windows-1252', 'κ'],
    // A control character of Latin-1, in whose place windows-1252 has the euro.
    ['windows-1252', '\u0080'],
  ])('refuses a text with a character that %s has not', async (label, text) => {
    const mediaType = `text/plain; charset=${label}`
    await expect(send({ mediaType, argument: 'note' }, { note: text })).rejects.toMatchObject({
      code: 'invalid_arguments',
      parameter: 'note',
      started: 'no',
    })
  })

  it.each(['YWJjZ', 'YWJj*', '*', 'Y'])(
    'refuses %j, which is no base64 or was cut',
    async (content) => {
      const body = { content, encoding: 'base64' }
      await expect(
        send({ mediaType: 'application/octet-stream', argument: 'body' }, { body }),
      ).rejects.toMatchObject({ code: 'invalid_arguments', parameter: 'body' })
    },
  )

  it('refuses a body beyond the limit', async () => {
    const { invoke } = testAdapter({ allow: ['127.0.0.1'], limits: { requestBytes: 10 } })
    const backend = { method: 'POST', baseUrl: server.origin, path: '/b', body: { argument: 'b' } }
    await expect(invoke(declaredTool(backend, ['b']), { b: 'x'.repeat(20) })).rejects.toMatchObject(
      {
        code: 'guard_refused',
        rule: 'request-size',
      },
    )
  })
})
