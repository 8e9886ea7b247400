import type { ContentPart } from '@callgate/spec'

import type { lists } from '../discover/list-pages.ts'
import { readContent } from '../invoke/content.ts'
import { isRecord, type JsonRecord } from '../record.ts'
import type { RequestExtras } from '../servers/requests.ts'
import type { RunningServer } from '../servers/running-server.ts'
import { cleanJson } from '../text/clean-json.ts'

/** A message of a prompt. */
export interface McpPromptMessage {
  readonly role: string
  readonly content: readonly ContentPart[]
}

export interface McpPrompt {
  readonly description?: string
  readonly messages: readonly McpPromptMessage[]
}

/** Items of a list of the protocol, cleaned. @throws ToolError */
export async function listItems(
  server: RunningServer,
  what: keyof typeof lists,
  signal: AbortSignal,
): Promise<readonly JsonRecord[]> {
  const items = await server.requests.list(what, signal)
  return items.filter(isRecord).map((item) => cleanJson(item) as JsonRecord)
}

/** The contents of a resource. @throws ToolError */
export async function readResource(
  server: RunningServer,
  uri: string,
  extras: RequestExtras,
): Promise<readonly ContentPart[]> {
  const result = await server.requests.send('resources/read', { uri }, extras)
  const contents = isRecord(result) && Array.isArray(result['contents']) ? result['contents'] : []
  const parts: readonly unknown[] = contents
  const read = await readContent(parts.map((resource) => ({ type: 'resource', resource })))
  return read.parts
}

/** A prompt with its arguments put in. @throws ToolError */
export async function getPrompt(
  server: RunningServer,
  name: string,
  args: Readonly<Record<string, string>>,
  extras: RequestExtras,
): Promise<McpPrompt> {
  const raw = await server.requests.send('prompts/get', { name, arguments: args }, extras)
  const { description, messages } = isRecord(raw) ? (cleanJson(raw) as JsonRecord) : {}
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
