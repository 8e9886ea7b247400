import type { JsonSchema } from '@callgate/spec'

import { parameterStyles } from '../request/styles.ts'

const text: JsonSchema = { type: 'string' }
const texts: JsonSchema = { type: 'array', items: text }
const filled: JsonSchema = { type: 'string', minLength: 1 }
const count: JsonSchema = { type: 'integer', minimum: 1 }

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

/** What an object holds is told by one of its fields: so a fault is of the kind that was meant. */
function kinds(
  tag: string,
  fields: { readonly [kind: string]: { readonly [name: string]: JsonSchema } },
  optional: readonly string[],
): JsonSchema {
  const cases = Object.entries(fields).map(([kind, properties]) => ({
    if: { required: [tag], properties: { [tag]: { const: kind } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema; the tag is looked at already
    then: object(
      { [tag]: true, ...properties },
      Object.keys(properties).filter((name) => !optional.includes(name)),
    ),
  }))
  const tags = { [tag]: { enum: Object.keys(fields) } }
  return { type: 'object', required: [tag], properties: tags, allOf: cases }
}

/** Whether a secret is a reference is looked at apart, since a literal has a rule of its own. */
const auth = kinds(
  'type',
  {
    bearer: { token: text },
    basic: { username: text, password: text },
    apiKey: {
      in: { enum: ['header', 'query', 'cookie'] },
      name: filled,
      value: text,
      prefix: text,
    },
    oauth2: {
      tokenUrl: text,
      clientId: text,
      clientSecret: text,
      scopes: texts,
      clientAuth: { enum: ['header', 'body'] },
    },
  },
  ['prefix', 'scopes', 'clientAuth'],
)

const filter: JsonSchema = object({
  tags: texts,
  paths: texts,
  methods: texts,
  operations: texts,
  readOnly: { type: 'boolean' },
})

const pages = { maxPages: count, items: text } as const
const numbered = { parameter: filled, first: { type: 'integer', minimum: 0 }, ...pages } as const

const pagination = kinds(
  'by',
  {
    link: pages,
    cursor: { cursor: text, parameter: filled, ...pages },
    page: numbered,
    offset: numbered,
  },
  ['first', 'maxPages', 'items'],
)

const document: JsonSchema = object(
  {
    name: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_-]{0,31}$' },
    document: { type: ['string', 'object'] },
    externalFiles: { type: 'boolean' },
    server: text,
    include: filter,
    exclude: filter,
    auth,
    headers: { type: 'object', additionalProperties: text },
    nestedArrays: { enum: ['indices', 'brackets', 'repeat'] },
    idempotencyHeader: text,
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
    adapter: text,
    method: text,
    url: text,
    baseUrl: text,
    path: text,
    document: text,
    parameters: {
      type: 'array',
      items: object(
        {
          name: text,
          in: { enum: ['path', 'query', 'header', 'cookie'] },
          argument: text,
          style: { enum: parameterStyles },
          explode: { type: 'boolean' },
          allowReserved: { type: 'boolean' },
          contentType: text,
        },
        ['name', 'in'],
      ),
    },
    query: { type: 'object' },
    headers: { type: 'object' },
    cookies: { type: 'object' },
    body: object({
      mediaType: text,
      argument: text,
      content: true,
      encoding: {
        type: 'object',
        additionalProperties: object({
          contentType: text,
          style: { enum: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'] },
          explode: { type: 'boolean' },
          allowReserved: { type: 'boolean' },
          file: { type: 'boolean' },
        }),
      },
    }),
    auth,
    nestedArrays: { enum: ['indices', 'brackets', 'repeat'] },
    idempotencyHeader: text,
    pagination,
    ...targets,
  },
  ['adapter'],
)
