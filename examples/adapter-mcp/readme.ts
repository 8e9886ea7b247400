import { mcpAdapter } from '@callgate/adapter-mcp'
import { createGateway } from '@callgate/core'

const gateway = createGateway({
  adapters: [
    mcpAdapter({
      servers: {
        // Any MCP server: here a small one of this folder.
        notes: {
          command: process.execPath,
          args: [`${import.meta.dirname}/notes-server.ts`],
          trust: true,
        },
        // A server that cannot be reached takes nothing from the others.
        wiki: { url: 'http://localhost:1/mcp' },
      },
    }),
  ],
})
await gateway.start()
console.log(gateway.registry.list().map((tool) => `${tool.namespace}::${tool.name}`))

// The number came as text, as models do it: it is repaired before the server sees it.
const note = { text: 'call back', copies: '2' }
const written = await gateway.dispatch({ name: 'mcp::notes::add_note', arguments: note })
console.log(written.status, written.data, written.metadata.repairs)

const [health] = await gateway.health()
console.log(health?.state, health?.reason)
await gateway.close()
