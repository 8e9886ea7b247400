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
import { abortable } from './servers/abortable.ts'
import { RunningServer } from './servers/running-server.ts'
import { packageVersion } from './version.ts'

/** Makes the adapter of a set of servers; nothing is started here. */
export function createInstance(options: McpOptions, host: AdapterHost): AdapterInstance {
  const callbacks = createCallbacks(options, host)
  const clientInfo = options.clientInfo ?? { name: 'callgate', version: packageVersion }
  const servers = new Map<string, RunningServer>(
    Object.entries(options.servers).map(([name, config]) => {
      checkServer(name, config)
      return [name, new RunningServer(name, config, { callbacks, clientInfo, host })]
    }),
  )
  const all = (): readonly RunningServer[] => [...servers.values()]

  return {
    start: (signal) => startAll(all(), options.startConcurrency ?? 6, signal),
    discover: async (signal) => {
      const found = await Promise.all(all().map((server) => server.discover(signal)))
      return found.flat()
    },
    accept: (tool) => void targetOf(servers, tool),
    invoke: (call, context) => callTool(call, context, targetOf(servers, call.tool).target, host),
    health: () => Promise.resolve(healthOf(all())),
    stop: async () => {
      await Promise.all(all().map((server) => server.stop()))
    },
  }
}

function checkServer(name: string, config: McpServer): void {
  const kinds = ['command', 'url', 'client'].filter((kind) => kind in config)
  if (kinds.length === 1) return
  throw new InvalidOptionsError({
    rule: 'mcp-server-kind',
    where: `/servers/${name}`,
    message: `MCP server "${name}" has ${kinds.length === 0 ? 'none' : 'several'} of command, url and client.`,
    hint: 'Give exactly one: a command to start, a url to call, or a connected client.',
  })
}

function targetOf(
  servers: ReadonlyMap<string, RunningServer>,
  tool: ToolDefinition,
): RunningServer {
  const { server, tool: name } = tool.backend
  const found = typeof server === 'string' ? servers.get(server) : undefined
  if (found !== undefined && typeof name === 'string') return found
  throw new ToolError({
    code: 'no_adapter',
    message:
      found === undefined
        ? `There is no MCP server "${String(server)}".`
        : 'The backend of an MCP tool names the tool: { server, tool }.',
    rule: 'mcp-backend',
    started: 'no',
  })
}

/** Several at a time, so that the slowest one decides and not the sum; a server that fails fails alone. */
async function startAll(
  servers: readonly RunningServer[],
  concurrency: number,
  signal: AbortSignal,
): Promise<void> {
  const waiting = [...servers]
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      signal.throwIfAborted()
      // oxlint-disable-next-line no-await-in-loop -- one after the other is what a worker does
      await next.start(signal)
    }
  }
  const workers = Array.from({ length: Math.max(1, concurrency) }, worker)
  await abortable(
    Promise.all(workers).then(() => undefined),
    signal,
  )
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
