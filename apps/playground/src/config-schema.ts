import type { JsonSchema } from '@callgate/spec'

export interface PlaygroundConfig {
  readonly mcp_servers?: {
    readonly [name: string]: {
      readonly transport?: string
      readonly command?: string
      readonly args?: readonly string[]
      readonly env?: { readonly [name: string]: string }
      readonly cwd?: string
      readonly socket?: string
      readonly url?: string
      readonly headers?: { readonly [name: string]: string }
      readonly plain_http?: boolean
      readonly timeout?: number
      readonly timeout_seconds?: number
      readonly debug?: boolean
      readonly trust?: boolean
      readonly deferred?: boolean
    }
  }
  readonly openapi?: {
    readonly [name: string]: {
      readonly document: string
      readonly server?: string
      readonly allow?: readonly string[]
    }
  }
  /** Each as `readTools` of the core takes it. */
  readonly tools?: readonly object[]
}

const text = { type: 'string', minLength: 1 } as const
const texts = { type: 'array', items: { type: 'string' } } as const
const textMap = { type: 'object', additionalProperties: { type: 'string' } } as const

/** What a configuration file of the playground may hold. */
export const configSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    mcp_servers: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        properties: {
          transport: text,
          command: text,
          args: texts,
          env: textMap,
          cwd: text,
          socket: text,
          url: text,
          headers: textMap,
          plain_http: { type: 'boolean' },
          timeout: { type: 'number', exclusiveMinimum: 0 },
          timeout_seconds: { type: 'number', exclusiveMinimum: 0 },
          debug: { type: 'boolean' },
          trust: { type: 'boolean' },
          deferred: { type: 'boolean' },
        },
        anyOf: [{ required: ['command'] }, { required: ['url'] }, { required: ['socket'] }],
      },
    },
    openapi: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['document'],
        properties: { document: text, server: text, allow: texts },
      },
    },
    tools: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['namespace', 'name', 'description', 'parameters', 'adapter'],
        properties: {
          namespace: text,
          name: text,
          description: text,
          parameters: { type: 'object' },
          adapter: { enum: ['cli', 'http'] },
          command: text,
          args_template: texts,
          working_dir: text,
          method: text,
          url: text,
          query: { type: 'object' },
          headers: { type: 'object' },
          body: {},
          confirm: { type: 'boolean' },
          confirm_message: text,
          timeout_seconds: { type: 'number', exclusiveMinimum: 0 },
          effects: {
            type: 'object',
            additionalProperties: false,
            properties: { read_only: { type: 'boolean' }, destructive: { type: 'boolean' } },
          },
        },
      },
    },
  },
}
