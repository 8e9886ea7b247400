import type { JsonSchema, ToolDefinition } from '@callgate/spec'

import { backstopOf } from '../connect/settings.ts'
import type { McpServer } from '../options.ts'

/** What a server can have beside tools. */
export type Offer = 'resources' | 'prompts'

/** What a tool of these does, as its backend names it. */
export type AccessKind = 'list_resources' | 'read_resource' | 'list_prompts' | 'get_prompt'

interface AccessTool {
  readonly name: AccessKind
  readonly offer: Offer
  readonly description: string
  readonly parameters: JsonSchema
}

const nothing: JsonSchema = { type: 'object', properties: {}, additionalProperties: false }

const all: readonly AccessTool[] = [
  {
    name: 'list_resources',
    offer: 'resources',
    description:
      'Lists the resources of this server (documents, files, records), and templates of the addresses of more.',
    parameters: nothing,
  },
  {
    name: 'read_resource',
    offer: 'resources',
    description: 'Reads a resource of this server by its address, as list_resources gives it.',
    parameters: {
      type: 'object',
      properties: { uri: { type: 'string', description: 'Address of the resource.' } },
      required: ['uri'],
      additionalProperties: false,
    },
  },
  {
    name: 'list_prompts',
    offer: 'prompts',
    description: 'Lists the prompts that this server has ready, and their arguments.',
    parameters: nothing,
  },
  {
    name: 'get_prompt',
    offer: 'prompts',
    description: 'Gets a prompt of this server by its name, with its arguments put in.',
    parameters: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Name of the prompt, as list_prompts gives it.' },
        arguments: {
          type: 'object',
          description: 'Values for its arguments, as text.',
          additionalProperties: { type: 'string' },
        },
      },
      required: ['name'],
      additionalProperties: false,
    },
  },
]

/** Tools for the resources and prompts of a server, where its configuration asks for them and it has such. */
export function accessTools(
  offers: readonly Offer[],
  server: string,
  config: McpServer,
): readonly ToolDefinition[] {
  const timeoutMs = backstopOf(config)
  return all
    .filter(({ offer }) => config[offer] === true && offers.includes(offer))
    .map(({ name, description, parameters }) => ({
      namespace: server,
      name,
      description,
      parameters,
      // Reading is what the protocol says of them; whether the server keeps to it is a matter of trust.
      effects: config.trust === true ? { readOnly: true, concurrency: 'parallel' } : {},
      timeoutMs,
      backend: { adapter: 'mcp', server, tool: name, access: name },
      ...(config.deferred === undefined ? {} : { deferred: config.deferred }),
      metadata: { server },
    }))
}
