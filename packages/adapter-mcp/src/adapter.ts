import { type BoundAdapter, defineAdapter, ToolError } from '@callgate/spec'

import { createAccess, type McpAccess } from './access/access.ts'
import { configSchema } from './config/schema.ts'
import { createInstance, type McpInstance } from './instance.ts'
import type { McpOptions } from './options.ts'

/** The adapter for `createGateway`, and functions for what MCP servers have beside tools. */
export type McpAdapter = BoundAdapter & McpAccess

/**
 * Makes the tools of MCP servers available to a gateway (R8.4), over stdio and HTTP, for protocol revisions from
 * 2024-11-05 to 2026-07-28. Each tool gets the id `mcp::<server>::<tool>`.
 *
 * Takes the servers by name and gives back an adapter for `createGateway`; nothing is started before the gateway is.
 *
 * @throws InvalidOptionsError, when the gateway sets it up, for options that do not fit.
 */
export function mcpAdapter(options: McpOptions & { readonly name?: string }): McpAdapter {
  let instance: McpInstance | undefined
  const bound = defineAdapter<McpOptions>({
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
    create: (rest, host) => {
      instance = createInstance(rest, host, options.name ?? 'mcp')
      return instance
    },
  })(options)
  const running = (): McpInstance => {
    if (instance !== undefined) return instance
    throw new ToolError({
      code: 'backend_unavailable',
      message: 'The MCP adapter belongs to no gateway yet.',
      started: 'no',
    })
  }
  const access = createAccess({
    server: (name) => running().server(name),
    all: () => running().all(),
    onState: (listener) => running().onState(listener),
    setRoots: (roots) => running().setRoots(roots),
    // Before it belongs to a gateway there is nothing to stop.
    stop: async () => instance?.stop(),
  })
  return Object.assign(bound, access)
}
