import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { httpAdapter } from '@callgate/adapter-http'
import type {
  AdapterHost,
  AdapterInstance,
  AdapterOutput,
  InvokeContext,
  ToolDefinition,
} from '@callgate/spec'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const runs = process.env['CI'] ? 2000 : 200

function nothing(): void {
  // Nobody listens to these calls.
}

const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
const host: AdapterHost = {
  log,
  validator: () => () => [],
  secret: (name) => name,
  toolsChanged: nothing,
}
const context: InvokeContext = {
  signal: new AbortController().signal,
  log,
  progress: nothing,
  blob: () => {
    throw new Error('the answers are short')
  },
}

interface Seen {
  readonly url: string
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: string
}

let seen: Seen[] = []
let origin = ''
let adapter: AdapterInstance
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString()
  })
  request.on('end', () => {
    seen.push({ url: request.url ?? '', headers: request.headers, body })
    response.end('ok')
  })
})

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  adapter = httpAdapter({ allow: ['127.0.0.1'] }).create(host)
})
afterAll(async () => {
  await adapter.stop?.({ graceMs: 0 })
  server.close()
})

/** Calls a tool and gives back what the server saw, or the rule of the refusal. */
async function send(
  backend: object,
  args: { readonly [name: string]: unknown },
): Promise<Seen | string> {
  seen = []
  const tool: ToolDefinition = {
    namespace: 'http::test',
    name: 'tool',
    description: 'A tool under test.',
    parameters: {
      type: 'object',
      properties: Object.fromEntries(Object.keys(args).map((name) => [name, {}])),
    },
    backend: { adapter: 'http', ...backend },
  }
  const call = { callId: 'c', tool, arguments: args, idempotencyKey: 'c', attempt: 1 }
  const failure = await adapter.invoke(call, context).then(
    (_output: AdapterOutput) => undefined,
    (cause: unknown) => cause as { readonly rule?: string },
  )
  const [request] = seen
  if (failure !== undefined)
    return seen.length === 0 ? (failure.rule ?? 'none') : 'sent all the same'
  return request ?? 'not sent'
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...Array.from('./\\%2eE?#&=;,+ \r\n\0:@"\'')), maxLength: 12 }),
)

const ownHeaders = new Set(['accept', 'accept-encoding', 'connection', 'host', 'user-agent', 'x-v'])

describe('whatever a model sends', () => {
  it('as a value of the path stays one segment, or is refused as none', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        const result = await send({ baseUrl: origin, path: '/a/{x}/b' }, { x: value })
        const segments =
          typeof result === 'string'
            ? result
            : result.url.split('/').map((part) => decodeURIComponent(part))
        const expected = ['', '.', '..'].includes(value) ? 'path-segment' : ['', 'a', value, 'b']
        expect(segments).toEqual(expected)
      }),
      { numRuns: runs },
    )
  })

  it('as a value of the query, or as a key of a deepObject, stays one pair', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (value, key) => {
        const parameters = [{ name: 'f', in: 'query', style: 'deepObject' }]
        const backend = { baseUrl: origin, path: '/q', query: { x: '{x}', y: '1' }, parameters }
        const { url } = (await send(backend, { x: value, f: { [key]: 'v' } })) as Seen
        expect([...new URL(url, origin).searchParams]).toEqual([
          ['f[' + key + ']', 'v'],
          ['x', value],
          ['y', '1'],
        ])
      }),
      { numRuns: runs },
    )
  })

  it('as a value of a form stays one pair', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (key, value) => {
        const body = { mediaType: 'application/x-www-form-urlencoded', argument: 'body' }
        const backend = { method: 'POST', baseUrl: origin, path: '/f', body }
        fc.pre(key !== 'last')
        const request = (await send(backend, { body: { [key]: value, last: '1' } })) as Seen
        const pairs = new URLSearchParams(request.body)
        expect([pairs.size, pairs.get(key), pairs.get('last')]).toEqual([2, value, '1'])
      }),
      { numRuns: runs },
    )
  })

  it('as a header comes as it is, or is refused; no header is added', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        const result = await send(
          { baseUrl: origin, path: '/h', headers: { 'x-v': '{x}' } },
          { x: value },
        )
        const isLatin = /^[\t\u0020-\u007e\u00a0-\u00ff]*$/.test(value)
        // Space around a value is no part of it, RFC 9110 section 5.5.
        const got = typeof result === 'string' ? result : result.headers['x-v']
        expect(got).toBe(isLatin ? value.replaceAll(/^[ \t]+|[ \t]+$/g, '') : 'header-value')
        const names = typeof result === 'string' ? [] : Object.keys(result.headers)
        expect(names.filter((name) => !ownHeaders.has(name))).toEqual([])
      }),
      { numRuns: runs },
    )
  })

  it('as an address reaches no server that is not allowed', async () => {
    const parts = fc.array(
      fc.constantFrom(
        'http://',
        'https://',
        '127',
        '.0',
        '.1',
        '0x7f',
        '[::',
        '1]',
        'ffff:',
        '@',
        '\\',
        '/',
        ':80',
        '#',
        '?',
        '%',
        'localhost',
        '169.254.169.254',
        '10.',
      ),
      { maxLength: 8 },
    )
    const guarded = httpAdapter({
      network: {
        connect: async () => Promise.reject(new Error('dialled')),
        resolve: async () => ['10.0.0.1'],
      },
    }).create(host)
    await fc.assert(
      fc.asyncProperty(parts, async (pieces) => {
        const tool: ToolDefinition = {
          namespace: 'http::test',
          name: 'fetch',
          description: 'Opens an address.',
          parameters: { type: 'object', properties: { url: { type: 'string' } } },
          backend: { adapter: 'http', url: '{url}' },
        }
        const call = {
          callId: 'c',
          tool,
          arguments: { url: pieces.join('') },
          idempotencyKey: 'c',
          attempt: 1,
        }
        await expect(guarded.invoke(call, context)).rejects.toMatchObject({ code: 'guard_refused' })
      }),
      { numRuns: runs * 5 },
    )
    await guarded.stop?.({ graceMs: 0 })
  })
})
