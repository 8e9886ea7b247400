import type { ContentPart } from '@callgate/spec'

import type { RootsOption } from '../callbacks/types.ts'
import type { JsonRecord } from '../record.ts'
import { approve } from '../servers/approvals.ts'
import type { RunningServer } from '../servers/running-server.ts'
import type { McpServerStatus } from '../servers/status.ts'
import type { Approval, PendingTool } from '../trust/pins.ts'
import { getPrompt, listItems, type McpPrompt, readResource } from './operations.ts'

/** What a program may want of the servers beside their tools; every text is cleaned. All throw `ToolError`. */
export interface McpAccess extends AsyncDisposable {
  /** How each server is now. */
  servers(): readonly McpServerStatus[]
  /** Calls `listener` whenever the state of a server changes (`ready`: its tools can be called); gives back how to end that. */
  onServerState(listener: (status: McpServerStatus) => void): () => void
  /** Puts other folders in place of the option `roots`, and tells the servers. Only where that option was given. */
  setRoots(roots: RootsOption): Promise<void>
  /** Items as the protocol has them: `uri`, `name`, `mimeType` and more. */
  listResources(server: string, signal?: AbortSignal): Promise<readonly JsonRecord[]>
  listResourceTemplates(server: string, signal?: AbortSignal): Promise<readonly JsonRecord[]>
  readResource(server: string, uri: string, signal?: AbortSignal): Promise<readonly ContentPart[]>
  /** Calls `listener` whenever the server says that the resource changed; gives back how to end that. */
  subscribe(
    server: string,
    uri: string,
    listener: () => void,
    signal?: AbortSignal,
  ): Promise<() => Promise<void>>
  listPrompts(server: string, signal?: AbortSignal): Promise<readonly JsonRecord[]>
  /** Tools that are kept back because they are new or changed; only with `pins`. */
  pendingTools(server: string): readonly PendingTool[]
  /**
   * Approves them; of a server that is up they can be called when it resolves. Those that `pendingTools` gave are approved
   * as they were then: where one of them is another by now, none is, with the code `definition_changed`. By name, or all,
   * they are approved whatever they are by now. Without `pins` nothing is kept back, and nothing is compared or approved.
   */
  approveTools(server: string, tools?: readonly Approval[]): Promise<void>
  getPrompt(
    server: string,
    name: string,
    args?: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<McpPrompt>
}

/** The servers of an adapter, as far as access needs them; each throws before the gateway is set up. */
export interface ServerSet {
  server(name: string): RunningServer
  all(): readonly RunningServer[]
  onState(listener: (status: McpServerStatus) => void): () => void
  setRoots(roots: RootsOption): Promise<void>
  stop(): Promise<void>
}

/** The access to a set of servers. */
export function createAccess(set: ServerSet): McpAccess {
  const never = new AbortController().signal
  const find = (name: string): RunningServer => set.server(name)
  return {
    servers: () => set.all().map(({ status }) => status),
    onServerState: (listener) => set.onState(listener),
    setRoots: async (roots) => set.setRoots(roots),
    listResources: async (server, signal = never) => listItems(find(server), 'resources', signal),
    listResourceTemplates: async (server, signal = never) =>
      listItems(find(server), 'resourceTemplates', signal),
    listPrompts: async (server, signal = never) => listItems(find(server), 'prompts', signal),
    subscribe: async (server, uri, listener, signal = never) =>
      find(server).subscribe(uri, listener, signal),
    pendingTools: (server) => find(server).status.pending,
    approveTools: async (server, tools) => approve(find(server), tools),
    readResource: async (server, uri, signal = never) =>
      readResource(find(server), uri, { signal }),
    getPrompt: async (server, name, args = {}, signal = never) =>
      getPrompt(find(server), name, args, { signal }),
    [Symbol.asyncDispose]: () => set.stop(),
  }
}
