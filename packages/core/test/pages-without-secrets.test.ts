import { describe, expect, it } from 'vitest'

import { leakyCall, leakyGateway } from './leaky.ts'
import { gatewayOf, tool } from './tools.ts'

interface Page {
  readonly text: string
  readonly next_byte?: number | null
  readonly next_line?: number | null
}

/** Reads by parts what a tool wrote to a blob. */
async function readerOf(
  secret: string,
  content: string | Uint8Array,
): Promise<(args: object) => Promise<Page>> {
  const gateway = leakyGateway(
    async (host, { blob }) => {
      host.secret('KEY')
      const stream = blob({ mediaType: 'text/plain' })
      await stream.write(typeof content === 'string' ? Buffer.from(content) : content)
      return { data: await stream.close() }
    },
    { secrets: () => secret, policy: { loops: false } },
  )
  const { data } = await gateway.dispatch(leakyCall)
  const { blobId } = data as { readonly blobId: string }
  return async (args) => {
    const read = await gateway.dispatch({
      name: 'result_read',
      arguments: { blob: blobId, ...args },
    })
    return read.data as Page
  }
}

const key = 's3cr3t-välue-0123'
const forms: readonly [name: string, form: string][] = [
  ['as it is', key],
  ['in a URL', encodeURIComponent(key)],
  ['in JSON of ASCII', key.replaceAll('ä', '\\u00e4').replaceAll('-', '\\u002d')],
  ['as hexadecimal digits', Buffer.from(key).toString('hex')],
  ['in Base64', Buffer.from(key).toString('base64')],
]

describe.each(forms)('a secret %s in a blob of an adapter', (_, form) => {
  const before = 'käy="'
  const after = '" 文\nend'
  const whole = `${before}${form}${after}`
  const size = Buffer.byteLength(whole)

  it('is in no page of any begin and length', async () => {
    const read = await readerOf(key, whole)
    const shown = new Set<string>()
    for (let from = 0; from < size; from += 3) {
      for (const bytes of [1, 5, 12, 200]) {
        const { text } = await read({ from_byte: from, bytes })
        for (const part of text.split('[redacted]')) shown.add(part)
      }
    }
    for (const part of shown) expect(`${before}|${after}`).toContain(part)
  })

  it.each([1, 4, 12])('loses nothing else to who reads pages of %i bytes', async (bytes) => {
    const read = await readerOf(key, whole)
    let all = ''
    for (let at: number | null | undefined = 0; typeof at === 'number';) {
      const page = await read({ from_byte: at, bytes })
      expect(page.next_byte ?? size).toBeGreaterThan(at)
      all += page.text
      at = page.next_byte
    }
    expect(all.replaceAll(/(\[redacted\])+/g, '*')).toBe(`${before}*${after}`)
  })
})

describe('a secret in the lines of a blob of an adapter', () => {
  const lines = ['-----BEGIN KEY-----', 'first-half', 'second-half', '-----END KEY-----']

  it.each(['\n', '\r\n'])('is in no page where it has several lines (%j)', async (end) => {
    const read = await readerOf(lines.join('\n'), `a\n${lines.join(end)}\nb\nc`)
    const texts: string[] = []
    for (let line: number | null | undefined = 1; typeof line === 'number';) {
      const page = await read({ from_line: line, lines: 1 })
      texts.push(page.text)
      line = page.next_line
    }
    expect(texts).toEqual(['a', '[redacted]', 'b', 'c'])
    expect(await read({ from_line: 3 })).toMatchObject({ text: 'b\nc' })
  })

  it('is not shown in part where a line is too long for a page', async () => {
    const pageBytes = Math.floor(100_000 / 3)
    const read = await readerOf(key, `${'x'.repeat(pageBytes - 5)}${key}`)
    const { text } = await read({})
    expect(text.slice(-20)).toBe('xxxxxxxxxx[redacted]')
  })

  it('is not shown where the parts meet in which a long blob is read', async () => {
    const part = 256 * 1024
    const filling = 'x'.repeat(63)
    const line = `${filling}\n`
    const read = await readerOf(key, `${line.repeat(part / 64 - 1)}${filling.slice(5)}${key}\nend`)
    const { text } = await read({ from_line: part / 64, lines: 2 })
    expect(text).toBe(`${filling.slice(5)}[redacted]\nend`)
  })
})

it('a blob of bytes that are no text is read with the same offsets', async () => {
  const bytes = Buffer.concat([Buffer.from([0xff, 0xc3, 0xe6]), Buffer.from(`${key}|end`)])
  const read = await readerOf(key, bytes)
  const end = bytes.byteLength - 3
  expect(await read({ from_byte: end, bytes: 3 })).toEqual({
    text: 'end',
    from_byte: end,
    next_byte: null,
  })
})

it('a gateway that read no secret shows every character of a blob', async () => {
  const gateway = gatewayOf([
    tool('t', async (_, { blob }) => {
      const stream = blob({ mediaType: 'text/plain' })
      await stream.write(Buffer.from('a\u007fb'))
      return stream.close()
    }),
  ])
  const { data } = await gateway.dispatch({ name: 't', arguments: {} })
  const blob = (data as { readonly blobId: string }).blobId
  const read = await gateway.dispatch({ name: 'result_read', arguments: { blob } })
  expect(read.data).toMatchObject({ text: 'a\u007fb' })
})
