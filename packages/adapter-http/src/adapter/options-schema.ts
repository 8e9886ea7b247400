import type { JsonSchema } from '@callgate/spec'

import { parameterStyles } from '../request/styles.ts'

const texts: JsonSchema = { type: 'array', items: { type: 'string' } }
const count: JsonSchema = { type: 'integer', minimum: 1 }
const reference: JsonSchema = { type: 'string', pattern: '^\\{env:[A-Za-z_][A-Za-z0-9_]*\\}$' }

const targets = {
  allow: texts,
  ports: { type: 'array', items: { type: 'integer', minimum: 1, maximum: 65_535 } },
  schemes: { type: 'array', items: { enum: ['http', 'https'] } },
  redirects: { type: 'integer', minimum: 0, maximum: 20 },
} as const satisfies Record<string, JsonSchema>

function object(
  properties: { readonly [name: string]: JsonSchema },
  required: readonly string[] = [],
): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false }
}

const auth: JsonSchema = {
  oneOf: [
    object({ type: { const: 'bearer' }, token: reference }, ['type', 'token']),
    object({ type: { const: 'basic' }, username: { type: 'string' }, password: reference }, [
      'type',
      'username',
      'password',
    ]),
    object(
      {
        type: { const: 'apiKey' },
        in: { enum: ['header', 'query', 'cookie'] },
        name: { type: 'string', minLength: 1 },
        value: reference,
        prefix: { type: 'string' },
      },
      ['type', 'in', 'name', 'value'],
    ),
    object(
      {
        type: { const: 'oauth2' },
        tokenUrl: { type: 'string' },
        clientId: { type: 'string' },
        clientSecret: reference,
        scopes: texts,
        clientAuth: { enum: ['header', 'body'] },
      },
      ['type', 'tokenUrl', 'clientId', 'clientSecret'],
    ),
  ],
}

const filter: JsonSchema = object({
  tags: texts,
  paths: texts,
  methods: texts,
  operations: texts,
  readOnly: { type: 'boolean' },
})

const pages = { maxPages: count, items: { type: 'string' } } as const

const pagination: JsonSchema = {
  oneOf: [
    object({ by: { const: 'link' }, ...pages }, ['by']),
    object(
      {
        by: { const: 'cursor' },
        cursor: { type: 'string' },
        parameter: { type: 'string', minLength: 1 },
        ...pages,
      },
      ['by', 'cursor', 'parameter'],
    ),
    object(
      {
        by: { enum: ['page', 'offset'] },
        parameter: { type: 'string', minLength: 1 },
        first: { type: 'integer', minimum: 0 },
        ...pages,
      },
      ['by', 'parameter'],
    ),
  ],
}

const document: JsonSchema = object(
  {
    name: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_-]{0,31}$' },
    document: { type: ['string', 'object'] },
    externalFiles: { type: 'boolean' },
    server: { type: 'string' },
    include: filter,
    exclude: filter,
    auth,
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    nestedArrays: { enum: ['indices', 'brackets', 'repeat'] },
    idempotencyHeader: { type: 'string' },
    pagination: { type: 'object', additionalProperties: pagination },
    ...targets,
  },
  ['name', 'document'],
)

/** The options of the adapter as a JSON Schema. */
export const optionsSchema: JsonSchema = object({
  documents: { type: 'array', items: document },
  limits: object({
    connectTimeoutMs: count,
    headersTimeoutMs: count,
    idleTimeoutMs: count,
    requestBytes: count,
    inlineBytes: count,
    responseBytes: count,
    events: count,
    connections: count,
  }),
  // Functions, which JSON Schema knows nothing of.
  network: true,
  ...targets,
})

/** The backend block of a tool as a JSON Schema. */
export const backendSchema: JsonSchema = object(
  {
    adapter: { type: 'string' },
    method: { type: 'string' },
    url: { type: 'string' },
    baseUrl: { type: 'string' },
    path: { type: 'string' },
    document: { type: 'string' },
    parameters: {
      type: 'array',
      items: object(
        {
          name: { type: 'string' },
          in: { enum: ['path', 'query', 'header', 'cookie'] },
          argument: { type: 'string' },
          style: { enum: parameterStyles },
          explode: { type: 'boolean' },
          allowReserved: { type: 'boolean' },
          contentType: { type: 'string' },
        },
        ['name', 'in'],
      ),
    },
    query: { type: 'object' },
    headers: { type: 'object' },
    cookies: { type: 'object' },
    body: object({
      mediaType: { type: 'string' },
      argument: { type: 'string' },
      content: true,
      encoding: {
        type: 'object',
        additionalProperties: object({
          contentType: { type: 'string' },
          style: { enum: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'] },
          explode: { type: 'boolean' },
          allowReserved: { type: 'boolean' },
          file: { type: 'boolean' },
        }),
      },
    }),
    auth,
    nestedArrays: { enum: ['indices', 'brackets', 'repeat'] },
    idempotencyHeader: { type: 'string' },
    pagination,
    ...targets,
  },
  ['adapter'],
)
