import { inspect } from 'node:util'

import { createHookBus } from '@callgate/hooks'
import { defineAdapter, ToolError, type AdapterHost, type CallgateEvents } from '@callgate/spec'
import type { AdapterOutput, InvokeContext } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createGateway, memoryAudit, type Gateway } from '../src/index.ts'
import { leakyCall, leakyGateway } from './leaky.ts'

const secret = 'p@ss/w0rd-very-long'
const forms: readonly [name: string, form: (text: string) => string][] = [
  ['as it is', (text) => text],
  ['in a URL', encodeURIComponent],
  ['in JSON', (text) => JSON.stringify(`${text}"`)],
  ['in Base64', btoa],
  ['behind a user name in Base64', (text) => btoa(`ab:${text}`)],
  ['behind another user name in Base64', (text) => btoa(`abc:${text}`)],
  ['in the Base64 of URLs', (text) => Buffer.from(text).toString('base64url')],
  ['as hexadecimal digits', (text) => Buffer.from(text).toString('hex')],
]

/** A gateway with one tool that has the secret; `onLog` gets the fields of what it logs. */
function gatewayWith(
  key: string,
  invoke: (text: string, context: InvokeContext) => AdapterOutput,
  onLog: (fields: unknown) => void = () => {},
): Gateway {
  const note = (_: string, fields: unknown): void => onLog(fields)
  return leakyGateway((host, context) => invoke(host.secret('KEY'), context), {
    secrets: () => key,
    log: { debug: note, info: note, warn: note, error: note },
  })
}

/** Calls a tool that has the secret, and gives all that came out of the gateway. */
async function allThatComesOf(
  invoke: (text: string, host: AdapterHost, context: InvokeContext) => AdapterOutput,
): Promise<string> {
  const seen: unknown[] = []
  const note = (...parts: readonly unknown[]): void => void seen.push(parts)
  const audit = memoryAudit()
  const hooks = createHookBus<CallgateEvents>()
  const gateway = leakyGateway((host, context) => invoke(host.secret('KEY'), host, context), {
    secrets: () => secret,
    ports: { audit },
    hooks,
    log: { debug: note, info: note, warn: note, error: note },
  })
  const result = await gateway.dispatch(
    { name: 'a::b', arguments: { p: 1 } },
    { onProgress: (progress) => note(progress) },
  )
  return JSON.stringify([result, audit.entries(), seen])
}

describe.each(forms)('a secret %s', (_, form) => {
  it('is in no part of an error, and not in the audit', async () => {
    const all = await allThatComesOf((text) => {
      throw new ToolError({
        code: 'tool_failed',
        message: `bad key ${form(text)} given`,
        rule: form(text),
        parameter: form(text),
        started: 'yes',
        backend: { code: 1, data: { stderr: form(text) } },
        cause: new Error(form(text)),
      })
    })
    expect(all).toContain('[redacted]')
    expect(all).not.toContain(form(secret))
  })

  it('is in no data, name of a field, content or metadata', async () => {
    const all = await allThatComesOf((text) => ({
      data: { [form(text)]: form(text) },
      content: [{ type: 'text', text: form(text) }],
      metadata: { [form(text)]: [form(text)] },
    }))
    expect(all.split('[redacted]').length).toBeGreaterThan(4)
    expect(all).not.toContain(form(secret))
  })

  it('is not in what a tool that failed says', async () => {
    const all = await allThatComesOf((text) => ({
      data: null,
      content: [{ type: 'text', text: `bad key ${form(text)}` }],
      isError: true,
    }))
    expect(all.split('[redacted]').length).toBeGreaterThan(3)
    expect(all).not.toContain(form(secret))
  })

  it('is not in progress, nor in the log', async () => {
    const all = await allThatComesOf((text, host, context) => {
      context.progress({ note: `with ${form(text)}`, partial: { type: 'text', text: form(text) } })
      context.log.warn(`with ${form(text)}`, { key: form(text) })
      host.log.info(`with ${form(text)}`, { key: form(text) })
      return { data: null }
    })
    // What stands behind it may begin another, and comes later, with the same note.
    expect(all.split('[redacted]').length).toBeGreaterThanOrEqual(7)
    expect(all).not.toContain(form(secret))
  })
})

it('a secret is not in what is told of the health of an adapter', async () => {
  const adapter = defineAdapter<object>({
    contract: 1,
    name: 'leaky',
    capabilities: { isolation: 'none' },
    configSchema: { type: 'object' },
    create: (_, host) => ({
      start: async () => {
        throw new Error(`https://me:${encodeURIComponent(host.secret('KEY'))}@host is not there`)
      },
      invoke: async () => ({}),
    }),
  })
  const gateway = createGateway({ adapters: [adapter({})], secrets: () => secret })
  await gateway.start()
  const [health] = await gateway.health()
  expect(health).toMatchObject({
    state: 'down',
    reason: 'https://me:[redacted]@host is not there',
  })
  await gateway.close()
})

describe('a secret with characters that are escaped', () => {
  const odd = `pä"s's<&w\\0rd/+ long文`
  const html = (text: string): string =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;')
  const ascii = (text: string): string =>
    text.replaceAll(/[^ -~]/gu, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const inner = (text: string): string => JSON.stringify(text).slice(1, -1)
  const lower = (text: string): string =>
    text.replaceAll(/%[0-9A-F]{2}/g, (digits) => digits.toLowerCase())
  it.each<[string, (text: string) => string]>([
    ['in a URL, in lower case', (text) => lower(encodeURIComponent(text))],
    ['in the path of a URL', encodeURI],
    ['in a form', (text) => new URLSearchParams({ a: text }).toString().slice(2)],
    ['in a URL in a URL', (text) => encodeURIComponent(encodeURIComponent(text))],
    ['in HTML', html],
    ['in HTML by numbers', (text) => html(text).replaceAll('&quot;', '&#x22;')],
    ['in HTML in HTML', (text) => html(html(text))],
    ['in JSON', inner],
    ['in JSON in JSON', (text) => inner(inner(text))],
    ['in JSON in JSON in JSON', (text) => inner(inner(inner(text)))],
    ['in JSON of ASCII', (text) => ascii(inner(text))],
    ['in JSON of ASCII in JSON', (text) => inner(ascii(inner(text)))],
    ['in JSON with escaped slashes', (text) => inner(text).replaceAll('/', '\\/')],
  ])('is not shown %s', async (_, form) => {
    const gateway = gatewayWith(odd, (text) => ({ data: `see ${form(text)} there` }))
    const { data } = await gateway.dispatch(leakyCall)
    expect(data).toBe('see [redacted] there')
  })
})

it.each(['SHORT LONG', 'LONG SHORT'])(
  'a secret that begins or ends with another is not shown in part, whichever came first: %s',
  async (order) => {
    const short = 'correct-horse'
    const secrets: { readonly [name: string]: string } = {
      SHORT: short,
      LONG: `a ${short}-battery`,
    }
    const gateway = leakyGateway(
      (host) => {
        const known = order.split(' ').map((name) => host.secret(name))
        return { data: { plain: known, coded: known.map(encodeURIComponent) } }
      },
      { secrets: (name) => secrets[name] },
    )
    const { data } = await gateway.dispatch(leakyCall)
    const none = ['[redacted]', '[redacted]']
    expect(data).toEqual({ plain: none, coded: none })
  },
)

describe('a secret in the bytes of a text', () => {
  it.each([
    'text/plain',
    'text/html; charset=utf-8',
    'application/json',
    'application/problem+json',
    'image/svg+xml',
  ])('of the type %s is not shown', async (mediaType) => {
    const bytes = (text: string): Uint8Array => new TextEncoder().encode(`key: ${text} 文`)
    const gateway = gatewayWith(secret, (text) => ({
      content: [
        { type: 'file', mediaType, data: bytes(text) },
        { type: 'resource', uri: 'a:b', mediaType, data: bytes(text) },
      ],
    }))
    const { content } = await gateway.dispatch(leakyCall)
    expect(
      content.map((part) => new TextDecoder().decode((part as { data: Uint8Array }).data)),
    ).toEqual(['key: [redacted] 文', 'key: [redacted] 文'])
  })

  it('is media where the type is, and stays', async () => {
    const data = new Uint8Array([0, 255, 1])
    const gateway = gatewayWith(secret, () => ({
      content: [{ type: 'image', mediaType: 'image/png', data }],
    }))
    const { content } = await gateway.dispatch(leakyCall)
    expect(content).toEqual([{ type: 'image', mediaType: 'image/png', data }])
  })
})

describe('a secret in what is logged', () => {
  const ring = (text: string): object => {
    const object: Record<string, unknown> = { text }
    object['self'] = object
    return object
  }
  const deep = (text: string): object => {
    let object: object = { text }
    for (let level = 0; level < 500; level++) object = { object }
    return object
  }
  const shared = (text: string): object => {
    let object: object = { text }
    for (let level = 0; level < 40; level++) object = { a: object, b: object }
    return object
  }
  it.each<[string, (text: string) => unknown]>([
    ['an error', (text) => new Error(text)],
    ['the cause of an error', (text) => new Error('x', { cause: new Error(text) })],
    ['a field of an error', (text) => Object.assign(new Error('x'), { request: { auth: text } })],
    ['an error of many', (text) => new AggregateError([new Error(text)], 'x')],
    ['a map', (text) => new Map([[text, new Map([['a', text]])]])],
    ['a set', (text) => new Set([text])],
    ['a URL', (text) => new URL(`http://x.test/?key=${encodeURIComponent(text)}`)],
    ['a query', (text) => new URLSearchParams({ text })],
    ['headers', (text) => new Headers({ text })],
    ['bytes', (text) => new TextEncoder().encode(text)],
    ['toJSON', (text) => ({ toJSON: () => ({ text }) })],
    [
      'an object of a class',
      (text) =>
        new (class Client {
          readonly key: string = text
        })(),
    ],
    ['an object in itself', ring],
    ['what is nested deeply', deep],
    ['what is written out without end', shared],
  ])('is not shown of %s', async (_, make) => {
    const logged: unknown[] = []
    const gateway = gatewayWith(
      secret,
      (text, { log }) => {
        log.warn('first', { made: make(text) })
        log.warn('second', { list: [make(text)] })
        return { data: null }
      },
      (fields) => void logged.push(fields),
    )
    await gateway.dispatch(leakyCall)
    expect(logged).toHaveLength(2)
    const shown = inspect(logged, { depth: 12, showHidden: true, maxArrayLength: 20 })
    expect(shown).not.toContain(secret)
    expect(shown).not.toContain(encodeURIComponent(secret))
  })

  it('leaves an error one, with its name, stack and cause', async () => {
    const logged: unknown[] = []
    const gateway = gatewayWith(
      secret,
      (text, { log }) => {
        log.error('failed', { error: new TypeError(`bad ${text}`, { cause: 'a cause' }) })
        return { data: null }
      },
      (fields) => void logged.push(fields),
    )
    await gateway.dispatch(leakyCall)
    const { error } = logged[0] as { error: Error }
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name: 'TypeError', message: 'bad [redacted]', cause: 'a cause' })
    expect(error.stack).toContain('TypeError: bad [redacted]\n    at ')
  })
})
