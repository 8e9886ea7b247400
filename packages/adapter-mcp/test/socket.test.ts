import { Buffer } from 'node:buffer'
import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

import { describe, expect, it, onTestFinished } from 'vitest'

import { scratchFile } from './fake.ts'
import { start, until } from './host.ts'
import { healthOf } from './http.ts'

/** A server that speaks MCP to whoever connects. */
async function listening(path: string): Promise<{ readonly sockets: Socket[] }> {
  const sockets: Socket[] = []
  const results = {
    'resources/subscribe': {},
    'resources/unsubscribe': {},
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, resources: { subscribe: true } },
      serverInfo: { name: 'l', version: '1' },
    },
    'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'from the socket' }] },
  }
  const server = createServer((socket) => {
    sockets.push(socket)
    const lines = createInterface({ input: socket })
    // It may be hung up on while it writes.
    for (const part of [lines, socket]) part.on('error', () => undefined)
    lines.on('line', (line) => {
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
  return { sockets }
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

  it('is connected again for who waits for its resources to change, and says that they may have', async () => {
    const socket = scratchFile()
    const { sockets } = await listening(socket)
    const { access, adapter } = await start({
      servers: { s: { socket, restart: { initialMs: 1 } } },
    })
    onTestFinished(() => adapter.stop?.({ graceMs: 100 }))
    let told = 0
    const end = await access.subscribe('s', 'a:1', () => void (told += 1))
    sockets[0]?.destroy()
    await until(() => told === 1)
    expect(sockets).toHaveLength(2)
    await end()
  })

  it('that writes a line without an end is hung up on', async () => {
    const socket = scratchFile()
    const { sockets } = await listening(socket)
    const servers = { s: { socket, maxMessageBytes: 1024 } }
    const { access, adapter } = await start({ servers })
    onTestFinished(() => adapter.stop?.({ graceMs: 100 }))
    const part = Buffer.alloc(1024 * 1024, 'x')
    const [flood] = sockets
    const write = (): void => void (flood?.writable === true && flood.write(part, write))
    write()
    await until(() => flood?.destroyed === true)
    await until(() => access.servers()[0]?.state !== 'ready')
    expect(access.servers()[0]?.lastError).toBe(
      'the connection was lost (the server wrote a line without an end)',
    )
  })

  it('that is not there is told with its reason', async () => {
    const running = await start({ servers: { s: { socket: scratchFile() } } })
    onTestFinished(() => running.adapter.stop?.({ graceMs: 100 }))
    expect((await healthOf(running))?.reason).toContain('ENOENT')
  })
})
