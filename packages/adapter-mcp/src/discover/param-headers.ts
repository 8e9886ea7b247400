import { encodeHeaderValue } from '../http/headers.ts'
import { isRecord, type JsonRecord } from '../record.ts'

const keyword = 'x-mcp-header'
/** Keywords that hold values, not schemas. */
const values = new Set(['const', 'enum', 'default', 'examples'])
/** Types that a header can hold. */
const types = new Set<unknown>(['string', 'integer', 'boolean'])

/** A parameter that revision 2026-07-28 wants mirrored in a header, for those between who route by it (SEP-2243). */
export interface ParamHeader {
  readonly header: string
  readonly path: readonly string[]
}

/** The declarations in a schema, or why the tool must not be offered over HTTP. */
export type ReadParamHeaders =
  | { readonly headers: readonly ParamHeader[] }
  | { readonly refused: string }

/** Reads the declarations: on properties that are text, whole numbers or truth values, reached by `properties` alone, each name once. */
export function readParamHeaders(schema: unknown): ReadParamHeaders {
  const headers: ParamHeader[] = []
  let refused: string | undefined

  function visit(node: unknown, path: readonly string[], reachable: boolean): void {
    if (typeof node !== 'object' || node === null) return
    if (isRecord(node) && keyword in node) refused ??= declare(node, path, reachable, headers)
    for (const [key, item] of Object.entries(node)) {
      if (key === 'properties' && isRecord(item)) {
        for (const [name, child] of Object.entries(item)) visit(child, [...path, name], reachable)
      } else if (!values.has(key)) {
        visit(item, path, false)
      }
    }
  }

  visit(schema, [], true)
  return refused === undefined ? { headers } : { refused }
}

function declare(
  node: JsonRecord,
  path: readonly string[],
  reachable: boolean,
  headers: ParamHeader[],
): string | undefined {
  const name = node[keyword]
  if (typeof name !== 'string' || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
    return `${keyword} is no header name`
  }
  if (!reachable || path.length === 0) return `${keyword} "${name}" is not on a plain property`
  if (!types.has(node['type'])) {
    return `${keyword} "${name}" is not on a text, a whole number or a truth value`
  }
  if (headers.some(({ header }) => header.toLowerCase() === name.toLowerCase())) {
    return `${keyword} "${name}" is declared twice`
  }
  headers.push({ header: name, path })
  return undefined
}

/** The headers for one call; a parameter that is absent or null has none. */
export function paramHeaders(
  declared: readonly ParamHeader[],
  args: JsonRecord,
): Record<string, string> {
  const result: Record<string, string> = {}
  for (const { header, path } of declared) {
    let value: unknown = args
    for (const name of path) value = isRecord(value) ? value[name] : undefined
    const plain =
      typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value)
    if (plain) result[`mcp-param-${header.toLowerCase()}`] = encodeHeaderValue(String(value))
  }
  return result
}
