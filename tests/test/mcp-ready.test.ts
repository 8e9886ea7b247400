import { mcpAdapter, type McpOptions, type McpServerStatus } from '@callgate/adapter-mcp'
import { createGateway } from '@callgate/core'
import { describe, expect, it, onTestFinished } from 'vitest'

/** A server that says hello; it lists its tools once `afterMs` have passed since it was asked. */
const server = (afterMs: number): string => `
const results = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
  'tools/list': { tools: [{ name: 'hello', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'hello' }] },
}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined) return
  const answer = () => console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }))
  if (method === 'tools/list') setTimeout(answer, ${afterMs})
  else answer()
})
process.stdin.once('end', () => process.exit())
`

const saysHello = (afterMs = 0) => ({ command: process.execPath, args: ['-e', server(afterMs)] })
const neverAnswers = { command: process.execPath, args: ['-e', 'process.stdin.resume()'] }

/** Starts a gateway, and calls the tool of the server `s` in the very moment in which that is said to be ready. */
async function callWhenReady(options: McpOptions) {
  const mcp = mcpAdapter(options)
  const gateway = createGateway({ adapters: [mcp] })
  onTestFinished(() => gateway.close())
  const called = new Promise<{
    readonly status: McpServerStatus
    readonly listed: boolean
    readonly result: string
  }>((resolve, reject) => {
    mcp.onServerState((status) => {
      if (status.name !== 's' || status.state !== 'ready') return
      const listed = gateway.registry.get('mcp::s::hello') !== undefined
      gateway
        .dispatch({ name: 'mcp::s::hello', arguments: {} })
        .then((result) => resolve({ status, listed, result: result.status }), reject)
    })
  })
  await gateway.start()
  return { mcp, called }
}

describe('a server of which it is said that it is ready', () => {
  it.each([
    ['the gateway starts', {}, saysHello()],
    ['the gateway has started without it', { startWaitMs: 1 }, saysHello()],
    ['the gateway has started, and it lists its tools slowly', { startWaitMs: 1 }, saysHello(300)],
  ])('can be called: while %s', async (_, options, s) => {
    const { called } = await callWhenReady({ ...options, servers: { s } })
    expect(await called).toMatchObject({ listed: true, result: 'ok', status: { tools: ['hello'] } })
  })

  it('can be called: while the start still waits for another', async () => {
    const servers = { s: saysHello(), other: neverAnswers }
    const { called } = await callWhenReady({ startWaitMs: 1000, servers })
    expect(await called).toMatchObject({ listed: true, result: 'ok' })
  })

  it('is so as soon as the gateway has started', async () => {
    const { mcp } = await callWhenReady({ servers: { s: saysHello() } })
    expect(mcp.servers()).toMatchObject([{ name: 's', state: 'ready' }])
  })
})
