import { describe, expect, it } from 'vitest'

import { securityCheck, type HttpAdapterOptions } from '../src/index.ts'
import { declaredTool, testHost } from './host.ts'
import { ticketsDocument } from './tickets.ts'

const check = (options: HttpAdapterOptions, ...tools: ReturnType<typeof declaredTool>[]) =>
  securityCheck(options, tools, testHost({ TICKETS_KEY: 'key-0123456789' }))

describe('the security check (G1, G2)', () => {
  it('finds no hole in a tool whose address the model chooses, and names the rules', async () => {
    const { ok, tools } = await check({}, declaredTool({ url: '{url}' }, ['url']))
    expect(ok).toBe(true)
    const [tool] = tools
    expect(new Set(tool?.probes.map(({ rule }) => rule))).toEqual(
      new Set(['scheme', 'host-parse', 'port', 'private-ip', 'metadata', 'dns']),
    )
    expect(tool?.weaknesses.map(({ rule }) => rule)).toEqual(['any-host'])
  })

  it('tries path, query, header and cookie of a tool with a server', async () => {
    const tool = declaredTool(
      {
        url: 'https://api.example.com/items/{id}',
        query: { q: '{q}' },
        headers: { 'x-trace': '{trace}' },
        cookies: { sid: '{sid}' },
      },
      ['id', 'q', 'trace', 'sid'],
    )
    const { ok, tools } = await check({}, tool)
    expect(ok).toBe(true)
    const probes = tools[0]?.probes ?? []
    const of = (parameter: string) =>
      new Set(
        probes
          .filter((probe) => probe.parameter === parameter)
          .map(({ outcome, rule }) => (rule === undefined ? outcome : `${outcome} ${rule}`)),
      )
    expect(of('id')).toEqual(new Set(['refused path-segment', 'literal']))
    expect(of('q')).toEqual(new Set(['literal']))
    expect(of('sid')).toEqual(new Set(['literal']))
    expect(of('trace')).toEqual(new Set(['refused header-value']))
    expect(of('(look-up)')).toEqual(new Set(['refused dns']))
  })

  it.each([
    ['query', { query: { q: '{q}' } }, 'literal'],
    ['header', { headers: { 'x-q': '{q}' } }, 'refused header-value'],
    ['cookie', { cookies: { q: '{q}' } }, 'literal'],
  ])('tries a %s beside an address that the model chooses', async (_, place, outcome) => {
    const { ok, tools } = await check({}, declaredTool({ url: '{url}', ...place }, ['url', 'q']))
    expect(ok).toBe(true)
    const found = tools[0]?.probes.filter(({ parameter }) => parameter === 'q') ?? []
    expect(new Set(found.map((probe) => [probe.outcome, probe.rule].join(' ').trim()))).toEqual(
      new Set([outcome]),
    )
  })

  it('tries an address that is sent in the query too', async () => {
    const tool = declaredTool({ url: '{url}', query: { from: '{url}' } }, ['url'])
    expect((await check({}, tool)).ok).toBe(true)
  })

  it('names the secrets of a body', async () => {
    const body = { content: { key: '{env:TICKETS_KEY}' } }
    const tool = declaredTool({ url: 'https://api.example.com/', method: 'POST', body })
    expect((await check({}, tool)).tools[0]?.facts?.secrets).toEqual(['TICKETS_KEY'])
  })

  it('says what an allow-list opens', async () => {
    const options = { allow: ['10.0.0.0/8'] }
    const { ok, tools } = await check(options, declaredTool({ url: '{url}' }, ['url']))
    expect(ok).toBe(false)
    const holes = tools[0]?.probes.filter(({ outcome }) => outcome === 'hole') ?? []
    expect(holes.map(({ input }) => input)).toContain('http://10.0.0.1/')
    expect(holes.map(({ input }) => input)).not.toContain('http://169.254.169.254/latest/')
    expect(tools[0]?.weaknesses.map(({ rule }) => rule)).toContain('wide-range')
  })

  it('shows where the tools of a document go and what they carry', async () => {
    const { tools } = await check({
      documents: [
        {
          name: 'tickets',
          document: ticketsDocument,
          server: 'http://api.example.com:8080/v1',
          auth: { type: 'apiKey', in: 'query', name: 'key', value: '{env:TICKETS_KEY}' },
        },
      ],
    })
    expect(tools).toHaveLength(5)
    expect(tools[0]).toMatchObject({
      tool: expect.stringMatching(/^http::tickets::/),
      facts: {
        method: 'GET',
        origin: 'http://api.example.com:8080',
        ports: [80, 443, 8080],
        redirects: 0,
        auth: 'apiKey in query',
        secrets: ['TICKETS_KEY'],
      },
      weaknesses: [{ rule: 'no-tls' }, { rule: 'key-in-query' }],
    })
  })

  it('calls the tools of a document as the adapter that has them is named', async () => {
    const document = { name: 'tickets', document: ticketsDocument, server: 'https://a.example' }
    const options: HttpAdapterOptions & { name: string } = { name: 'web', documents: [document] }
    const { tools } = await check(options)
    expect(tools.every(({ tool }) => tool.startsWith('web::tickets::'))).toBe(true)
  })

  it('lists a tool that is refused', async () => {
    const { ok, tools } = await check({}, declaredTool({ path: '/x' }))
    expect(ok).toBe(false)
    expect(tools[0]?.refused?.rule).toBe('server-url')
  })

  it('lists a tool whose secret is not there, as the adapter refuses it', async () => {
    const headers = { 'x-key': '{env:NOT_THERE}' }
    const { ok, tools } = await check(
      {},
      declaredTool({ url: 'https://api.example.com/', headers }),
    )
    expect(ok).toBe(false)
    expect(tools[0]?.refused?.rule).toBe('secret-missing')
  })
})
