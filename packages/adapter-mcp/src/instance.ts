import {
  type AdapterHost,
  type AdapterInstance,
  ToolError,
  type ToolDefinition,
} from '@callgate/spec'

import type { ServerSet } from './access/access.ts'
import { createCallbacks } from './callbacks/callbacks.ts'
import { checkOptions } from './config/check.ts'
import { createToolCaller } from './invoke/call-tool.ts'
import type { McpOptions } from './options.ts'
import { RunningServer } from './servers/running-server.ts'
import { startAll } from './servers/start-all.ts'
import type { McpServerStatus } from './servers/status.ts'
import { Shadowing } from './trust/shadowing.ts'

/** The instance, and a way to its servers for what a program wants beside their tools. */
export interface McpInstance extends AdapterInstance, ServerSet {
  /** As the contract has it, with the state of each server by itself. */
  health(signal: AbortSignal): Promise<McpHealth>
  stop(options?: { readonly graceMs: number }): Promise<void>
}

export interface McpHealth {
  readonly state: 'ok' | 'degraded' | 'down'
  readonly reason?: string
  readonly servers: readonly Pick<McpServerStatus, 'name' | 'state' | 'reason'>[]
}

const defaultGraceMs = 3000

/** Makes the adapter of a set of servers, bound under a name; nothing is started here. @throws InvalidOptionsError */
export function createInstance(
  options: McpOptions,
  host: AdapterHost,
  adapter: string,
): McpInstance {
  checkOptions(options)
  const callbacks = createCallbacks(options, host)
  const call = createToolCaller(host)
  const listeners = new Set<(status: McpServerStatus) => void>()
  const shared = {
    callbacks,
    state: (changed: RunningServer) => tell(listeners, changed, host),
    clientInfo: options.clientInfo,
    pins: options.pins,
    toolCache: options.toolCache,
    host,
  }
  const servers = new Map<string, RunningServer>(
    Object.entries(options.servers).map(([name, config]) => [
      name,
      new RunningServer(name, config, shared),
    ]),
  )
  const { pins } = options
  const shadowing = new Shadowing(
    host.log,
    pins !== undefined && (pins.onChange ?? 'block') === 'block',
    servers,
  )
  const all = (): readonly RunningServer[] => [...servers.values()]
  const server = (name: unknown): RunningServer => serverNamed(servers, name)

  return {
    server,
    all,
    onState: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    setRoots: async (roots) => {
      if (!callbacks.setRoots(roots)) throw noRoots()
      await Promise.all(all().map((each) => each.notify('notifications/roots/list_changed')))
    },
    start: (signal) => startAll(all(), options, host, signal),
    discover: async (signal) => {
      const lists = await Promise.all(all().map((each) => each.discover(signal)))
      for (const [at, each] of all().entries()) if (lists[at] !== undefined) each.handOver.given()
      const { admitted, late } = shadowing.admit(lists.flatMap((list) => list ?? []))
      await Promise.all(all().map((each) => each.withhold(late)))
      return admitted.map((tool) => ({ ...tool, backend: { ...tool.backend, adapter } }))
    },
    accept: (tool) => void server(toolBackend(tool).server),
    invoke: async (request, context) =>
      call(request, context, server(toolBackend(request.tool).server)),
    health: () => Promise.resolve(healthOf(all())),
    stop: async ({ graceMs } = { graceMs: defaultGraceMs }) => {
      await Promise.all(all().map((each) => each.stop(graceMs)))
    },
  }
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

function healthOf(servers: readonly RunningServer[]): McpHealth {
  const shown = servers.map(({ name, state, trouble }) => ({
    name,
    state,
    ...(trouble === '' ? {} : { reason: trouble }),
  }))
  const troubles = shown.flatMap(({ name, reason }) =>
    reason === undefined ? [] : [`${name}: ${reason}`],
  )
  if (troubles.length === 0) return { state: 'ok', servers: shown }
  // One whose tools cannot be listed anew can still be called.
  const down = shown.every(({ state, reason }) => reason !== undefined && state !== 'degraded')
  return {
    state: down ? 'down' : 'degraded',
    reason: troubles.join('\n'),
    servers: shown,
  }
}

/** A listener that throws is no fault of the server. */
function tell(
  listeners: ReadonlySet<(status: McpServerStatus) => void>,
  { status }: RunningServer,
  host: AdapterHost,
): void {
  for (const listener of listeners) {
    try {
      listener(status)
    } catch (error) {
      host.log.error('mcp: a listener failed', { server: status.name, error: String(error) })
    }
  }
}

function noRoots(): ToolError {
  return new ToolError({
    code: 'invalid_arguments',
    message: 'There are no roots to change: servers were not told that there may be any.',
    rule: 'mcp-roots',
    started: 'no',
  })
}
