import type { ToolDefinition } from '@callgate/spec'

import { loadOpenApi, type LoadedOpenApi, type OpenApiOptions } from '../src/index.ts'

/** Loads a document under a server that the operator chose. */
export function load(document: unknown, options: Partial<OpenApiOptions> = {}): LoadedOpenApi {
  return loadOpenApi(document, { name: 'api', server: 'https://api.example.com/v1', ...options })
}

/** One tool of a document. */
export function toolOf(
  document: unknown,
  name: string,
  options: Partial<OpenApiOptions> = {},
): ToolDefinition {
  const { tools, skipped } = load(document, options)
  const found = tools.find((candidate) => candidate.name === name)
  if (found) return found
  throw new Error(JSON.stringify({ names: tools.map((tool) => tool.name), skipped }))
}

/** A document with one operation. */
export function single(
  operation: object,
  path = '/x',
  openapi = '3.0.3',
): { readonly openapi: string; readonly paths: Record<string, Record<string, object>> } {
  return { openapi, paths: { [path]: { post: { operationId: 'op', ...operation } } } }
}
