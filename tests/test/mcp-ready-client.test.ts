import { mcpAdapter } from '@callgate/adapter-mcp'
import { createGateway } from '@callgate/core'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, onTestFinished } from 'vitest'

/** A connected client of the 1.x line, and the server behind it. */
async function connected(): Promise<{ readonly client: Client; readonly server: Server }> {
  const server = new Server(
    { name: 'in-memory', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  )
  let tools = [{ name: 'echo', inputSchema: { type: 'object' as const } }]
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }))
  server.setRequestHandler(
    CallToolRequestSchema,
    async ({ params }, { sendNotification, signal, _meta }) => {
      if (params.name === 'grow') {
        tools = [...tools, { name: 'new', inputSchema: { type: 'object' } }]
        await server.sendToolListChanged()
      }
      if (params.name === 'hang') {
        await new Promise((resolve) => {
          signal.addEventListener('abort', resolve)
        })
      }
      if (_meta?.progressToken !== undefined) {
        const progress = { progressToken: _meta.progressToken, progress: 1, total: 4 }
        await sendNotification({ method: 'notifications/progress', params: progress })
      }
      return { content: [{ type: 'text', text: JSON.stringify(params.arguments) }] }
    },
  )
  const client = new Client({ name: 'host', version: '1.0.0' })
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(serverSide), client.connect(clientSide)])
  onTestFinished(() => client.close())
  return { client, server }
}

async function gatewayOver(client: Client) {
  const gateway = createGateway({ adapters: [mcpAdapter({ servers: { given: { client } } })] })
  await gateway.start()
  onTestFinished(() => gateway.close())
  return gateway
}

describe('a client of the 1.x SDK that is already connected', () => {
  it('serves its tools through the gateway, with progress', async () => {
    const { client } = await connected()
    const gateway = await gatewayOver(client)
    const progress: unknown[] = []
    const result = await gateway.dispatch(
      { name: 'mcp::given::echo', arguments: { a: 1 } },
      { onProgress: ({ fraction }) => progress.push(fraction) },
    )
    expect(result).toMatchObject({ status: 'ok', data: '{"a":1}' })
    expect(progress).toEqual([0.25])
  })

  it('stays connected when the gateway closes: its life is its owner’s', async () => {
    const { client } = await connected()
    const gateway = await gatewayOver(client)
    await gateway.close()
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo'])
  })
})
