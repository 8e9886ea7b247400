import type { JsonSchema } from '@callgate/spec'

const ms: JsonSchema = { type: 'integer', minimum: 1, maximum: 2_147_483_647 }
/** A message becomes one text, of which Node.js makes none above 512 MiB; what is done with it may make it longer. */
const messageBytes: JsonSchema = { type: 'integer', minimum: 1024, maximum: 256 * 1024 * 1024 }
const texts: JsonSchema = { type: 'object', additionalProperties: { type: 'string' } }

const mismatch: JsonSchema = { enum: ['warn', 'error', 'off'] }

const tool: JsonSchema = {
  type: 'object',
  properties: {
    deferred: { type: 'boolean' },
    timeoutMs: ms,
    totalTimeoutMs: ms,
    humanTimeoutMs: ms,
    outputMismatch: mismatch,
  },
  additionalProperties: false,
}

const settings: { readonly [name: string]: JsonSchema } = {
  trust: { type: 'boolean' },
  deferred: { type: 'boolean' },
  lazy: { type: 'boolean' },
  timeoutMs: ms,
  totalTimeoutMs: ms,
  humanTimeoutMs: ms,
  connectTimeoutMs: ms,
  maxMessageBytes: messageBytes,
  era: { enum: ['auto', 'modern', '2025', 'sse'] },
  outputMismatch: mismatch,
  allow: { type: 'array', items: { type: 'string', minLength: 1 } },
  tools: { type: 'object', additionalProperties: tool },
  resources: { type: 'boolean' },
  prompts: { type: 'boolean' },
  debug: { type: 'boolean' },
}

const stdio: { readonly [name: string]: JsonSchema } = {
  command: { type: 'string', minLength: 1 },
  socket: { type: 'string', minLength: 1 },
  args: { type: 'array', items: { type: 'string' } },
  env: texts,
  inheritEnv: { type: 'boolean' },
  cwd: { type: 'string', minLength: 1 },
  graceMs: ms,
  restart: {
    type: 'object',
    properties: { initialMs: ms, maxMs: ms, stableMs: ms },
    additionalProperties: false,
  },
}

const http: { readonly [name: string]: JsonSchema } = {
  url: { type: 'string', minLength: 1 },
  // A function, where the options are given in code.
  headers: {},
  auth: { type: 'object', required: ['kind'] },
  plainHttp: { type: 'boolean' },
  tls: {
    type: 'object',
    properties: { ca: { type: 'string' }, cert: { type: 'string' }, key: { type: 'string' } },
    dependentRequired: { cert: ['key'], key: ['cert'] },
    additionalProperties: false,
  },
}

/** JSON Schema of the options, as far as they are data: functions and clients are only named. */
export const configSchema: JsonSchema = {
  type: 'object',
  required: ['servers'],
  additionalProperties: false,
  properties: {
    servers: {
      type: 'object',
      propertyNames: { pattern: '^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$' },
      additionalProperties: {
        type: 'object',
        properties: { ...settings, ...stdio, ...http, client: {} },
        additionalProperties: false,
      },
    },
    clientInfo: {
      type: 'object',
      required: ['name', 'version'],
      properties: { name: { type: 'string' }, version: { type: 'string' } },
      additionalProperties: false,
    },
    startConcurrency: { type: 'integer', minimum: 1 },
    startWaitMs: ms,
    pins: {
      type: 'object',
      required: ['store'],
      properties: { store: {}, onChange: { enum: ['allow', 'warn', 'block'] } },
      additionalProperties: false,
    },
    // Functions and what holds them: see check.ts.
    toolCache: {},
    elicitation: {},
    sampling: {},
    samplingLimits: {
      type: 'object',
      properties: {
        perMinute: { type: 'integer', minimum: 1 },
        atOnce: { type: 'integer', minimum: 1 },
        maxTokens: { type: 'integer', minimum: 1 },
        tokensPerMinute: { type: 'integer', minimum: 1 },
      },
      additionalProperties: false,
    },
    roots: {
      type: 'array',
      items: {
        type: 'object',
        required: ['uri'],
        properties: { uri: { type: 'string', pattern: '^file://' }, name: { type: 'string' } },
      },
    },
  },
}
