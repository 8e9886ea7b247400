import {
  type AdapterHost,
  type AdapterInstance,
  InvalidOptionsError,
  ToolError,
  type ToolDefinition,
} from '@callgate/spec'

import { createCallbacks } from './callbacks/callbacks.ts'
import { callTool } from './invoke/call-tool.ts'
import type { McpOptions, McpServer } from './options.ts'
import { RunningServer } from './servers/running-server.ts'
import { startAll } from './servers/start-all.ts'
import { Shadowing } from './trust/shadowing.ts'

/** The instance, and a way to its servers for {@link createAccess}. */
export interface McpInstance extends AdapterInstance {
  readonly server: (name: string) => RunningServer
}

/** Makes the adapter of a set of servers, bound under a name; nothing is started here. */
export function createInstance(
  options: McpOptions,
  host: AdapterHost,
  adapter: string,
): McpInstance {
  const shared = {
    callbacks: createCallbacks(options, host),
    clientInfo: options.clientInfo,
    pins: options.pins,
    toolCache: options.toolCache,
    host,
  }
  const servers = new Map<string, RunningServer>(
    Object.entries(options.servers).map(([name, config]) => {
      checkServer(name, config)
      return [name, new RunningServer(name, config, shared)]
    }),
  )
  const { pins } = options
  const shadowing = new Shadowing(host.log, pins !== undefined && pins.onChange !== 'warn')
  const all = (): readonly RunningServer[] => [...servers.values()]
  const server = (name: unknown): RunningServer => serverNamed(servers, name)

  return {
    server,
    start: (signal) => startAll(all(), options, host, signal),
    discover: async (signal) => {
      const found = await Promise.all(all().map((each) => each.discover(signal)))
      return shadowing
        .admit(found.flat())
        .map((tool) => ({ ...tool, backend: { ...tool.backend, adapter } }))
    },
    accept: (tool) => void server(toolBackend(tool).server),
    invoke: async (call, context) =>
      callTool(call, context, server(toolBackend(call.tool).server), host),
    health: () => Promise.resolve(healthOf(all())),
    stop: async ({ graceMs }) => {
      await Promise.all(all().map((each) => each.stop(graceMs)))
    },
  }
}

function checkServer(name: string, config: McpServer): void {
  const kinds = ['command', 'socket', 'url', 'client'].filter((kind) => kind in config)
  if (kinds.length === 1) {
    checkCredentials(name, config)
    return
  }
  throw new InvalidOptionsError({
    rule: 'mcp-server-kind',
    where: `/servers/${name}`,
    message: `MCP server "${name}" has ${kinds.length === 0 ? 'none' : 'several'} of command, socket, url and client.`,
    hint: 'Give exactly one: a command to start, a socket or a url to connect to, or a connected client.',
  })
}

/** A fixed key beside an authorization would hide which of the two a server refuses. */
function checkCredentials(name: string, config: McpServer): void {
  if (!('url' in config) || config.auth === undefined || typeof config.headers !== 'object') return
  const fixed = Object.keys(config.headers).some((key) => key.toLowerCase() === 'authorization')
  if (!fixed) return
  throw new InvalidOptionsError({
    rule: 'mcp-two-credentials',
    where: `/servers/${name}`,
    message: `MCP server "${name}" has both an Authorization header and auth.`,
    hint: 'Keep one of them.',
  })
}

function serverNamed(servers: ReadonlyMap<string, RunningServer>, name: unknown): RunningServer {
  const found = typeof name === 'string' ? servers.get(name) : undefined
  if (found !== undefined) return found
  throw new ToolError({
    code: 'no_adapter',
    message: `There is no MCP server "${String(name)}".`,
    rule: 'mcp-server',
    started: 'no',
  })
}

function toolBackend(tool: ToolDefinition): { readonly server: unknown } {
  const { server, tool: name } = tool.backend
  if (typeof name === 'string') return { server }
  throw new ToolError({
    code: 'no_adapter',
    message: 'The backend of an MCP tool names its server and its tool: { server, tool }.',
    rule: 'mcp-backend',
    started: 'no',
  })
}

function healthOf(servers: readonly RunningServer[]): {
  readonly state: 'ok' | 'degraded' | 'down'
  readonly reason?: string
} {
  const troubles = servers.flatMap((server) => {
    return server.trouble === '' ? [] : [`${server.name}: ${server.trouble}`]
  })
  if (troubles.length === 0) return { state: 'ok' }
  return {
    state: troubles.length === servers.length ? 'down' : 'degraded',
    reason: troubles.join('\n'),
  }
}
