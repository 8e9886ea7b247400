import { type AdapterCall, type AdapterOutput, type ContentPart, ToolError } from '@callgate/spec'

import { getPrompt, listItems, readResource } from '../access/operations.ts'
import type { AccessKind } from '../discover/access-tools.ts'
import { isRecord, type JsonRecord } from '../record.ts'
import type { RequestExtras } from '../servers/requests.ts'
import type { RunningServer } from '../servers/running-server.ts'
import { joinedText } from './output.ts'

/** Runs a tool that stands for the resources or prompts of a server. @throws ToolError */
export function callAccess(
  call: AdapterCall,
  kind: unknown,
  server: RunningServer,
  extras: RequestExtras,
): Promise<AdapterOutput> {
  const run = Object.hasOwn(runs, String(kind)) ? runs[kind as AccessKind] : undefined
  if (run !== undefined) return run(call.arguments, server, extras)
  throw new ToolError({
    code: 'no_adapter',
    message: `The backend of an MCP tool names "${String(kind)}" as its access, which there is not.`,
    rule: 'mcp-backend',
    started: 'no',
  })
}

type Run = (
  args: JsonRecord,
  server: RunningServer,
  extras: RequestExtras,
) => Promise<AdapterOutput>

const runs: { readonly [kind in AccessKind]: Run } = {
  async list_resources(_args, server, { signal }) {
    const resources = await listItems(server, 'resources', signal)
    const templates = await listTemplates(server, signal)
    return jsonOutput({ resources, ...(templates.length === 0 ? {} : { templates }) })
  },
  async read_resource(args, server, extras) {
    const content = await readResource(server, String(args['uri']), extras)
    return { data: textOf(content), content }
  },
  async list_prompts(_args, server, { signal }) {
    return jsonOutput({ prompts: await listItems(server, 'prompts', signal) })
  },
  async get_prompt(args, server, extras) {
    const given = isRecord(args['arguments']) ? args['arguments'] : {}
    const values = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, String(value)]),
    )
    const { messages } = await getPrompt(server, String(args['name']), values, extras)
    const content = messages.flatMap(({ role, content: parts }): readonly ContentPart[] => [
      { type: 'text', text: `${role}:` },
      ...parts,
    ])
    return {
      data: { messages: messages.map((each) => ({ role: each.role, text: textOf(each.content) })) },
      content,
    }
  },
}

const unknownMethod = -32_601

/** A server with resources need not know of templates. */
async function listTemplates(
  server: RunningServer,
  signal: AbortSignal,
): Promise<readonly JsonRecord[]> {
  try {
    return await listItems(server, 'resourceTemplates', signal)
  } catch (error) {
    if (ToolError.isInstance(error) && error.backend?.code === unknownMethod) return []
    throw error
  }
}

function jsonOutput(data: unknown): AdapterOutput {
  return { data, content: [{ type: 'text', text: JSON.stringify(data) }] }
}

/** The text of parts, of resources too. */
function textOf(parts: readonly ContentPart[]): string {
  return joinedText(
    parts.map((part) =>
      part.type === 'resource' && part.text !== undefined
        ? { type: 'text', text: part.text }
        : part,
    ),
  )
}
