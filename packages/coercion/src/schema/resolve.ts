import { isPlainObject } from './model.ts'

/** Where a reference leads: the raw schema there, and the resource whose pointers it uses. */
export interface Target {
  readonly schema: unknown
  readonly resource: unknown
}

/** The identifiers of one raw document, found once, when the first reference needs them. */
export interface Identifiers {
  readonly resources: Map<string, unknown>
  readonly anchors: Map<string, Target>
  readonly bases: Map<unknown, string>
}

/** Values, not schemas: identifiers inside them mean nothing. */
const dataKeywords = new Set(['enum', 'const', 'default', 'examples', 'example'])
const VISITS = 1_000_000

/**
 * Follows a reference inside the document: `#`, a pointer (percent-encoded or not), an anchor, or the `$id` of an
 * embedded resource. Gives 'remote' for what only a fetch could find, undefined for what does not exist.
 */
export function resolveReference(
  document: unknown,
  resource: unknown,
  reference: string,
  identifiers: () => Identifiers,
): Target | 'remote' | undefined {
  const mark = reference.indexOf('#')
  const address = mark < 0 ? reference : reference.slice(0, mark)
  const fragment = mark < 0 ? '' : reference.slice(mark + 1)
  let base = resource
  if (address !== '') {
    const { resources, bases } = identifiers()
    const found = resources.get(absolute(address, bases.get(resource)))
    if (found === undefined) return 'remote'
    base = found
  }
  if (fragment === '') return { schema: base, resource: base }
  const text = decode(fragment)
  if (!text.startsWith('/')) return identifiers().anchors.get(text)
  return follow(base, text) ?? (base === document ? undefined : follow(document, text))
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

/** Own properties and list indexes only: a pointer must not walk into a prototype. */
function follow(start: unknown, pointer: string): Target | undefined {
  let schema = start
  let resource = start
  for (const part of pointer.slice(1).split('/')) {
    const token = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof schema !== 'object' || schema === null || !Object.hasOwn(schema, token)) {
      return undefined
    }
    schema = (schema as Record<string, unknown>)[token]
    if (isPlainObject(schema) && ownIdentifier(schema) !== undefined) resource = schema
  }
  return { schema, resource }
}

/** The `$id` of a resource, or undefined; `#name` is an anchor in drafts up to 07. */
export function ownIdentifier(schema: { readonly [key: string]: unknown }): string | undefined {
  const id = schema['$id'] ?? schema['id']
  return typeof id === 'string' && id !== '' && !id.startsWith('#') ? id : undefined
}

function absolute(address: string, base: string | undefined): string {
  try {
    return new URL(address, base ?? 'callgate:/').href
  } catch {
    return address
  }
}

/** Collects `$id`, `id`, `$anchor` and `$dynamicAnchor` of a raw document, in bounded time. */
export function findIdentifiers(document: unknown): Identifiers {
  const found: Identifiers = { resources: new Map(), anchors: new Map(), bases: new Map() }
  const pending: { schema: unknown; resource: unknown; base: string | undefined }[] = [
    { schema: document, resource: document, base: undefined },
  ]
  const seen = new Set<unknown>()
  for (
    let entry = pending.pop();
    entry !== undefined && seen.size < VISITS;
    entry = pending.pop()
  ) {
    if (typeof entry.schema !== 'object' || entry.schema === null || seen.has(entry.schema))
      continue
    seen.add(entry.schema)
    const inner = isPlainObject(entry.schema) ? identify(found, entry.schema, entry) : entry
    for (const [key, schema] of Object.entries(entry.schema)) {
      if (!dataKeywords.has(key)) pending.push({ ...inner, schema })
    }
  }
  return found
}

function identify(
  found: Identifiers,
  schema: { readonly [key: string]: unknown },
  outer: { readonly resource: unknown; readonly base: string | undefined },
): { readonly resource: unknown; readonly base: string | undefined } {
  const id = ownIdentifier(schema)
  const base = id === undefined ? outer.base : absolute(id.replace(/#$/, ''), outer.base)
  const resource = id === undefined ? outer.resource : schema
  if (id !== undefined && base !== undefined) {
    if (!found.resources.has(base)) found.resources.set(base, schema)
    found.bases.set(schema, base)
  }
  for (const keyword of ['$anchor', '$dynamicAnchor', '$id', 'id']) {
    const text = schema[keyword]
    if (typeof text !== 'string' || text === '') continue
    const anchor = keyword.endsWith('id') ? (text.startsWith('#') ? text.slice(1) : '') : text
    if (anchor !== '' && !found.anchors.has(anchor)) found.anchors.set(anchor, { schema, resource })
  }
  return { resource, base }
}
