import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'

import { text } from '../../src/dispatch.ts'
import { callIds, calls, turns, type PeerSubject } from './subject.ts'
import { zodParameters } from './zod-parameters.ts'

/** MCP SDK: a client and a server in one process. */
export async function subjects(): Promise<readonly PeerSubject[]> {
  const server = new McpServer({ name: 's', version: '1' })
  server.registerTool(
    'read',
    { description: 'Reads.', inputSchema: zodParameters.shape },
    async ({ path }) => ({ content: [{ type: 'text', text: path }] }),
  )
  const client = new Client({ name: 'c', version: '1' })
  const [here, there] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(there), client.connect(here)])
  await client.listTools()
  const once = async (): Promise<boolean> => {
    const { isError } = await client.callTool({
      name: 'read',
      arguments: JSON.parse(text) as Record<string, unknown>,
    })
    return isError !== true
  }
  return [
    calls('MCP SDK client.callTool', 200, once),
    turns('MCP SDK 100 × client.callTool', 200, async () => {
      const answered = await Promise.all(callIds.map(once))
      return answered.filter(Boolean).length
    }),
  ]
}
