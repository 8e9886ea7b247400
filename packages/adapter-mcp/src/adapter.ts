import { type BoundAdapter, defineAdapter } from '@callgate/spec'

import { configSchema } from './config-schema.ts'
import { createInstance } from './instance.ts'
import type { McpOptions } from './options.ts'

/**
 * Makes the tools of MCP servers available to a gateway (R8.4), over stdio and Streamable HTTP, for protocol
 * revisions up to 2026-07-28. Each tool gets the id `mcp::<server>::<tool>`.
 *
 * Takes the servers by name and gives back an adapter for `createGateway`; nothing is started before the gateway is.
 *
 * @throws InvalidOptionsError, when the gateway sets it up, for options that do not fit.
 */
export const mcpAdapter: (options: McpOptions & { readonly name?: string }) => BoundAdapter =
  defineAdapter<McpOptions>({
    contract: 1,
    name: 'mcp',
    capabilities: {
      cancel: true,
      progress: true,
      health: true,
      dynamic: true,
      isolation: 'process',
    },
    configSchema,
    create: createInstance,
  })
