import { requireOptions, type ToolDefinition } from '@callgate/spec'

import type { HttpAuth } from '../auth/auth.ts'
import type { HttpPagination } from '../operation/backend.ts'
import type { NestedArrays } from '../request/styles.ts'
import { checkDocumentName, operationNames } from './names.ts'
import { listOperations, type FoundOperation } from './operations.ts'
import { createReferences } from './references.ts'
import type { Dialect } from './schema-convert.ts'
import { createSchemaSource } from './schema.ts'
import { requiredCredentials } from './security.ts'
import { fitsFilter, type OperationFilter } from './select.ts'
import { documentServer } from './server.ts'
import { buildTool, type ToolSettings } from './tool.ts'
import { checkVersion } from './version.ts'

/** How operations of a document become tools. */
export interface OpenApiOptions {
  /** The namespace of the tools. */
  readonly name: string
  /** The server to use instead of the document's own; needed where that is relative or has open variables. */
  readonly server?: string
  readonly include?: OperationFilter
  readonly exclude?: OperationFilter
  readonly auth?: HttpAuth
  /** Headers that the operator sends with every request; values may be `{env:NAME}`. Hidden from the model. */
  readonly headers?: { readonly [name: string]: string }
  readonly nestedArrays?: NestedArrays
  readonly idempotencyHeader?: string
  /** By name of the tool or operationId. */
  readonly pagination?: { readonly [operation: string]: HttpPagination }
}

/** A tool of a document; the host puts the adapter's name before `namespace`. */
export type OpenApiTool = ToolDefinition

/** What a document gives. */
export interface LoadedOpenApi {
  readonly tools: readonly OpenApiTool[]
  /**
   * Operations that could not become tools, `METHOD path`, with the reason, and names in the options that no operation has.
   * Operations that a filter leaves out are not among them.
   */
  readonly skipped: readonly { readonly operation: string; readonly reason: string }[]
  readonly server: string
  /** The credentials that the document asks for, as `name (kind)`; `auth` gives them. */
  readonly credentials: readonly string[]
  /** The version that the document says it is written in. */
  readonly version: string
}

/**
 * Turns the operations of a parsed document (Swagger 2.0, OpenAPI 3.0, 3.1, 3.2) into tools (R8.3, D1 to D5). Pure.
 *
 * `files` holds the other files that the document refers to, by their path below its folder; `address` is where the
 * document was fetched from, if it was.
 *
 * @throws CallgateError: `adapter-options` or `document-name` when the options do not fit, `openapi-version` when it is no such document, `server-url` when no server is usable.
 */
export function loadOpenApi(
  document: unknown,
  options: OpenApiOptions,
  files: ReadonlyMap<string, unknown> = new Map(),
  address?: string,
): LoadedOpenApi {
  requireOptions('http', options)
  checkDocumentName(options.name)
  const { root, version } = checkVersion(document, options.name)
  const server = documentServer(root, options.name, options.server, address)
  const references = createReferences(root, files)
  const swagger = version.startsWith('2.')
  const dialect: Dialect = swagger || version.startsWith('3.0') ? 'classic' : '2020-12'
  const settings: ToolSettings = {
    options,
    root,
    server,
    swagger,
    references,
    schemas: createSchemaSource(references, dialect),
    own: ownParameters(options),
  }
  const { operations, skipped: unlisted } = listOperations(root, references)
  const skipped = unlisted.filter(({ operation }) => mayBeSelected(operation, options))
  const names = operationNames(operations, options.name)
  const tools: OpenApiTool[] = []
  for (const [index, operation] of operations.entries()) {
    const name = names[index] ?? ''
    if (!isSelected(operation, name, options)) continue
    try {
      tools.push(buildTool(operation, name, settings))
    } catch (cause) {
      skipped.push({
        operation: `${operation.method} ${operation.path}`,
        reason: cause instanceof Error ? cause.message : String(cause),
      })
    }
  }
  skipped.push(...unknownOperations(options, operations, names))
  return { tools, skipped, server, credentials: requiredCredentials(root), version }
}

/** A rule for an operation that is not there would be forgotten in silence, and what a slip was to exclude be offered. */
function unknownOperations(
  { include, exclude, pagination }: OpenApiOptions,
  operations: readonly FoundOperation[],
  names: readonly string[],
): LoadedOpenApi['skipped'] {
  const known = new Set([...names, ...operations.map(({ operationId }) => operationId)])
  const named = {
    include: include?.operations,
    exclude: exclude?.operations,
    pagination: Object.keys(pagination ?? {}),
  }
  return Object.entries(named).flatMap(([option, listed = []]) =>
    listed
      .filter((operation) => !known.has(operation))
      .map((operation) => ({
        operation,
        reason: `"${option}" names it, but there is no such operation`,
      })),
  )
}

/** What the operator fills is no parameter of the model: credentials, fixed headers and that of the idempotency key. */
function ownParameters(options: OpenApiOptions): ReadonlySet<string> {
  const { auth, headers, idempotencyHeader } = options
  const names = [...Object.keys(headers ?? {}), ...(idempotencyHeader ? [idempotencyHeader] : [])]
  const own = names.map((name) => `header ${name.toLowerCase()}`)
  if (auth?.type === 'apiKey') own.push(`${auth.in} ${auth.name.toLowerCase()}`)
  return new Set(own)
}

/** What is known of an operation that could not be looked at is its path, `METHOD path`. */
function mayBeSelected(operation: string, { include, exclude }: OpenApiOptions): boolean {
  const path = operation.slice(operation.indexOf(' ') + 1)
  const known = { name: '', method: '', path, tags: [], readOnly: false }
  const fits = ({ paths }: OperationFilter): boolean =>
    paths === undefined || fitsFilter({ paths }, known)
  const isExcluded =
    exclude !== undefined && Object.keys(exclude).join() === 'paths' && fits(exclude)
  return (include === undefined || fits(include)) && !isExcluded
}

function isSelected(operation: FoundOperation, name: string, options: OpenApiOptions): boolean {
  const selectable = {
    name,
    ...(operation.operationId === undefined ? {} : { operationId: operation.operationId }),
    method: operation.method,
    path: operation.path,
    tags: operation.tags,
    readOnly: ['GET', 'HEAD', 'OPTIONS'].includes(operation.method),
  }
  return (
    (options.include === undefined || fitsFilter(options.include, selectable)) &&
    (options.exclude === undefined || !fitsFilter(options.exclude, selectable))
  )
}
