import type { ContentPart } from '@callgate/spec'

import type { lists } from './discover/list-pages.ts'
import { readContent } from './invoke/content.ts'
import { isRecord, type JsonRecord } from './record.ts'
import type { RunningServer } from './servers/running-server.ts'
import { cleanJson } from './text/clean-json.ts'
import type { PendingTool } from './trust/pins.ts'

/** A message of a prompt. */
export interface McpPromptMessage {
  readonly role: string
  readonly content: readonly ContentPart[]
}

/** What a program may want of the servers beside their tools; every text is cleaned. All throw `ToolError`. */
export interface McpAccess {
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
  /** Approves them, all or by name. */
  approveTools(server: string, names?: readonly string[]): Promise<void>
  getPrompt(
    server: string,
    name: string,
    args?: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<{ readonly description?: string; readonly messages: readonly McpPromptMessage[] }>
}

/** The access to servers that are found by name; `find` throws for an unknown one, and before the gateway is set up. */
export function createAccess(find: (server: string) => RunningServer): McpAccess {
  const never = new AbortController().signal
  const list = async (
    server: string,
    what: keyof typeof lists,
    signal: AbortSignal,
  ): Promise<readonly JsonRecord[]> => {
    const items = await find(server).list(what, signal)
    return items.filter(isRecord).map((item) => cleanJson(item) as JsonRecord)
  }
  return {
    listResources: (server, signal = never) => list(server, 'resources', signal),
    listResourceTemplates: (server, signal = never) => list(server, 'resourceTemplates', signal),
    listPrompts: (server, signal = never) => list(server, 'prompts', signal),
    subscribe: async (server, uri, listener, signal = never) =>
      find(server).subscribe(uri, listener, signal),
    pendingTools: (server) => find(server).pins?.pending ?? [],
    approveTools: async (server, names) => find(server).approve(names),
    readResource: async (server, uri, signal = never) => {
      const result = await find(server).request('resources/read', { uri }, { signal })
      const contents =
        isRecord(result) && Array.isArray(result['contents']) ? result['contents'] : []
      const parts: readonly unknown[] = contents
      const read = await readContent(parts.map((resource) => ({ type: 'resource', resource })))
      return read.parts
    },
    getPrompt: async (server, name, args = {}, signal = never) => {
      const result = await find(server).request(
        'prompts/get',
        { name, arguments: args },
        { signal },
      )
      return promptOf(isRecord(result) ? (cleanJson(result) as JsonRecord) : {})
    },
  }
}

async function promptOf(result: JsonRecord): Promise<{
  readonly description?: string
  readonly messages: readonly McpPromptMessage[]
}> {
  const { description, messages } = result
  const list: readonly unknown[] = Array.isArray(messages) ? messages : []
  return {
    ...(typeof description === 'string' ? { description } : {}),
    messages: await Promise.all(
      list.filter(isRecord).map(async (message) => ({
        role: typeof message['role'] === 'string' ? message['role'] : 'user',
        content: (await readContent(message['content'])).parts,
      })),
    ),
  }
}
