import { describe, expect, it, onTestFinished } from 'vitest'

import { fileToolCache, filePinStore, type McpOptions } from '../src/index.ts'
import { scratchFile } from './fake.ts'
import { type FakeHttp, json, type Json, type Mode, startFakeHttp } from './fixtures/fake-http.ts'
import { type Running, start } from './host.ts'

const good = { name: 'good', inputSchema: { type: 'object', properties: { text: {} } } }
/** No primitive can be made of it, not even for a message. */
const textless = { toString: null, valueOf: null }

async function over(fake: FakeHttp, options: Partial<McpOptions> = {}): Promise<Running> {
  const running = await start({ servers: { s: { url: fake.url, era: '2025' } }, ...options })
  onTestFinished(() => running.adapter.stop?.({ graceMs: 100 }))
  return running
}

async function offering(tools: readonly Json[], ...modes: readonly Mode[]): Promise<FakeHttp> {
  const fake = await startFakeHttp(...modes)
  onTestFinished(() => fake.close())
  fake.tools = [...tools]
  return fake
}

async function names(running: Running): Promise<readonly string[]> {
  return (await running.tools()).map(({ name }) => name)
}

/** JSON text of a list in a list in a list. */
const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

describe('A tool that cannot be read', () => {
  it.each([
    ['a name that is no text', { name: textless }],
    ['a reference that is no text', { name: 'bad', inputSchema: { $ref: textless } }],
    ['a type that is no text', { name: 'bad', inputSchema: { type: textless } }],
    [
      'a header on what has no type',
      { name: 'bad', inputSchema: { properties: { a: { type: textless, 'x-mcp-header': 'A' } } } },
    ],
  ])('for %s hides no other', async (_what, bad) => {
    const fake = await offering([bad, good])
    expect(await names(await over(fake))).toContain('good')
  })

  it('because it is too deep hides no other, with pins and a cache', async () => {
    const list: Mode = (exchange) => {
      if (exchange.body['method'] !== 'tools/list') return undefined
      const tools = JSON.stringify([good, { name: 'deep', annotations: 'HERE' }])
      exchange.response.writeHead(200, { 'content-type': 'application/json' })
      exchange.response.end(
        `{"jsonrpc":"2.0","id":${JSON.stringify(exchange.body['id'])},"result":{"tools":${tools.replace('"HERE"', deep(50_000))}}}`,
      )
      return true
    }
    const fake = await offering([], list)
    const options = {
      pins: { store: filePinStore(scratchFile()) },
      toolCache: fileToolCache(scratchFile()),
    }
    expect(await names(await over(fake, options))).toEqual(['good'])
  })

  it('among more than a function can take as arguments hides no other', async () => {
    const fake = await offering([good, ...Array.from({ length: 200_000 }, () => ({}))])
    expect(await names(await over(fake))).toEqual(['good'])
  })
})

describe('A cursor that is empty', () => {
  it('is the end of a list', async () => {
    const list: Mode = (exchange) => {
      if (exchange.body['method'] !== 'tools/list') return undefined
      const { cursor } = exchange.body['params'] as Json
      const answer =
        cursor === undefined
          ? { result: { tools: [good], nextCursor: '' } }
          : { error: { code: -32_602, message: 'bad cursor' } }
      return json(exchange, { jsonrpc: '2.0', id: exchange.body['id'], ...answer })
    }
    expect(await names(await over(await offering([], list)))).toEqual(['good'])
  })
})

describe('A tool with the name of what every object has', () => {
  it.each(['constructor', 'toString', '__proto__'])(
    'is a new tool to the pins, and hides no other: %s',
    async (name) => {
      const store = filePinStore(scratchFile())
      const fake = await offering([good])
      const first = await over(fake, { pins: { store } })
      await first.adapter.stop?.({ graceMs: 100 })
      fake.tools.push({ name, inputSchema: { type: 'object' } })
      const running = await over(fake, { pins: { store } })
      expect(await names(running)).toEqual(['good'])
      expect(running.access.pendingTools('s')).toMatchObject([
        { name, state: 'new', differences: [] },
      ])
    },
  )

  it('may be a parameter that a tool has since it was approved', async () => {
    const store = filePinStore(scratchFile())
    const fake = await offering([good, { name: 'other', inputSchema: { properties: {} } }])
    const first = await over(fake, { pins: { store } })
    await first.adapter.stop?.({ graceMs: 100 })
    fake.tools[1] = { name: 'other', inputSchema: { properties: { constructor: {} } } }
    const running = await over(fake, { pins: { store } })
    expect(await names(running)).toEqual(['good'])
    expect(running.access.pendingTools('s')).toMatchObject([
      { name: 'other', differences: ['/inputSchema/properties/constructor: nothing -> {}'] },
    ])
  })
})

describe('A description of one long word', () => {
  it('is looked through at once', async () => {
    const description = 'a'.repeat(32 * 1024)
    const fake = await offering(
      Array.from({ length: 40 }, (_, at) => ({ ...good, name: `good${String(at)}`, description })),
    )
    const before = performance.now()
    expect(await names(await over(fake))).toHaveLength(40)
    expect(performance.now() - before).toBeLessThan(4000)
  })
})

describe('A schema that names the prototype', () => {
  it('keeps what it says there as its own', async () => {
    const inputSchema = JSON.parse('{"type":"object","__proto__":{"required":["x"]}}') as Json
    const running = await over(await offering([{ name: 'good', inputSchema }]))
    const [tool] = await running.tools()
    expect(tool?.parameters).not.toHaveProperty('required')
  })
})
