import { createServer, type Server } from 'node:net'
import { createInterface } from 'node:readline'

import { describe, expect, it, onTestFinished } from 'vitest'

import { scratchFile } from './fake.ts'
import { start } from './host.ts'
import { healthOf } from './http.ts'

/** A server that speaks MCP to whoever connects. */
async function listening(path: string): Promise<Server> {
  const results = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'l', version: '1' },
    },
    'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'from the socket' }] },
  }
  const server = createServer((socket) => {
    createInterface({ input: socket }).on('line', (line) => {
      const { id, method } = JSON.parse(line) as { id?: number; method: keyof typeof results }
      if (id !== undefined && socket.writable)
        socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: results[method] })}\n`)
      if (method === 'tools/call') socket.end()
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(path, resolve)
  })
  onTestFinished(() => {
    server.close()
  })
  return server
}

describe.skipIf(process.platform === 'win32')('a server at a local socket', () => {
  it('is called, and connected again when it has hung up', async () => {
    const socket = scratchFile()
    await listening(socket)
    const { call, adapter } = await start({ servers: { s: { socket, restart: { initialMs: 1 } } } })
    onTestFinished(() => adapter.stop?.({ graceMs: 100 }))
    expect((await call('s.echo')).data).toBe('from the socket')
    expect((await call('s.echo').catch(() => call('s.echo'))).data).toBe('from the socket')
  })

  it('that is not there is told with its reason', async () => {
    const running = await start({ servers: { s: { socket: scratchFile() } } })
    onTestFinished(() => running.adapter.stop?.({ graceMs: 100 }))
    expect((await healthOf(running))?.reason).toContain('ENOENT')
  })
})
