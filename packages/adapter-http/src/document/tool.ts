import type { JsonSchema, ToolDefinition, ToolEffects } from '@callgate/spec'

import type { HttpBackend } from '../operation/backend.ts'
import { compileOperation } from '../operation/compile.ts'
import { readBody, type ToolBody } from './body.ts'
import { describeOperation } from './describe.ts'
import type { OpenApiOptions } from './load.ts'
import type { FoundOperation } from './operations.ts'
import { freeName, readParameters, type OwnParameters, type ToolParameter } from './parameters.ts'
import { isRecord, type Located, type References } from './references.ts'
import type { SchemaSource } from './schema.ts'
import { serversOf } from './server.ts'
import { modernise } from './swagger2.ts'

/** What all operations of a document share. */
export interface ToolSettings {
  readonly options: OpenApiOptions
  readonly root: Record<string, unknown>
  readonly server: string
  readonly swagger: boolean
  readonly references: References
  readonly schemas: SchemaSource
  readonly own: OwnParameters
}

/**
 * Makes the tool of one operation.
 *
 * @throws when it cannot be called as it is declared; the message is the reason that is reported.
 */
export function buildTool(
  operation: FoundOperation,
  name: string,
  settings: ToolSettings,
): ToolDefinition {
  const { references, schemas, own } = settings
  const uses = new Set<string>()
  const { lists, body: bodyNode } = inputsOf(operation, settings)
  const parameters = readParameters(lists, operation.path, references, schemas, own, uses)
  const body = readBody(bodyNode, references, schemas, uses)
  const bodyName = body && bodyArgument(parameters)
  const backend = backendOf(operation, name, settings, parameters, body, bodyName)
  // A block that could not be called is found now, not at the first call.
  const declared = new Set(parameters.map(({ argument }) => argument))
  compileOperation(backend, declared, settings.server, { attempt: (part) => part() })
  return {
    namespace: settings.options.name,
    name,
    description: describeOperation(operation.node, operation.method, operation.path),
    ...(operation.tags[0] === undefined ? {} : { category: operation.tags[0] }),
    parameters: parametersSchema(parameters, body, bodyName, schemas.definitions(uses)),
    backend: backend as ToolDefinition['backend'],
    effects: effectsOf(operation.method, settings.options.idempotencyHeader !== undefined),
    metadata: {
      ...(operation.operationId === undefined ? {} : { operationId: operation.operationId }),
      ...(operation.tags.length === 0 ? {} : { tags: operation.tags }),
    },
  }
}

function inputsOf(
  { item, node }: FoundOperation,
  settings: ToolSettings,
): { readonly lists: readonly Located[]; readonly body?: Located } {
  const itemNode = isRecord(item.value) ? item.value : {}
  const lists = [
    { value: itemNode['parameters'], file: item.file },
    { value: node['parameters'], file: item.file },
  ]
  if (settings.swagger) {
    const consumes = node['consumes'] ?? settings.root['consumes']
    const types = (Array.isArray(consumes) ? (consumes as unknown[]) : []).filter(
      (type) => typeof type === 'string',
    )
    const { parameters, body } = modernise(lists, types, settings.references)
    return { lists: parameters, ...(body ? { body } : {}) }
  }
  checkOwnServer(node, itemNode, settings)
  const { requestBody } = node
  return requestBody === undefined
    ? { lists }
    : { lists, body: { value: requestBody, file: item.file } }
}

/** An operation with a server of its own goes there only if the operator's choice does not cover it (D9). */
function checkOwnServer(
  node: Record<string, unknown>,
  item: Record<string, unknown>,
  { options, server }: ToolSettings,
): void {
  const [own] = [...serversOf(node), ...serversOf(item)]
  if (own === undefined || options.server !== undefined) return
  const target = URL.canParse(own, server) ? new URL(own, server).href.replace(/\/+$/, '') : own
  if (target !== server)
    throw new Error(`it has a server of its own, ${own}; set "server" to use another`)
}

function bodyArgument(parameters: readonly ToolParameter[]): string {
  return freeName('body', 'request', new Set(parameters.map(({ argument }) => argument)))
}

function backendOf(
  operation: FoundOperation,
  name: string,
  { options, server }: ToolSettings,
  parameters: readonly ToolParameter[],
  body: ToolBody | undefined,
  bodyName: string | undefined,
): HttpBackend {
  const rules = new Map(Object.entries(options.pagination ?? {}))
  const rule = rules.get(name) ?? rules.get(operation.operationId ?? '')
  return {
    adapter: 'http',
    document: options.name,
    baseUrl: server,
    method: operation.method,
    path: operation.path,
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(({ backend }) => backend) }),
    ...(body && bodyName !== undefined ? { body: { ...body.backend, argument: bodyName } } : {}),
    ...(options.headers ? { headers: { ...options.headers } } : {}),
    ...(options.nestedArrays ? { nestedArrays: options.nestedArrays } : {}),
    ...(options.idempotencyHeader ? { idempotencyHeader: options.idempotencyHeader } : {}),
    ...(rule ? { pagination: { ...rule } } : {}),
  }
}

function parametersSchema(
  parameters: readonly ToolParameter[],
  body: ToolBody | undefined,
  bodyName: string | undefined,
  definitions: { readonly [name: string]: JsonSchema },
): JsonSchema {
  const properties = parameters.map(({ argument, schema }) => [argument, schema] as const)
  const required = parameters
    .filter((parameter) => parameter.required)
    .map(({ argument }) => argument)
  if (body && bodyName !== undefined) {
    properties.push([bodyName, body.schema])
    if (body.required) required.push(bodyName)
  }
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  }
}

/** What the method promises (RFC 9110 section 9.2). */
function effectsOf(method: string, keyed: boolean): ToolEffects {
  if (['GET', 'HEAD', 'OPTIONS'].includes(method)) {
    return { readOnly: true, idempotent: true, concurrency: 'parallel' }
  }
  return {
    readOnly: false,
    idempotent: keyed || method === 'PUT' || method === 'DELETE',
    ...(method === 'DELETE' ? { destructive: true } : {}),
  }
}
