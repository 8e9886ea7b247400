import { isPlainObject, unescapeToken } from './model.ts'

/** Where a reference leads: the raw schema there, and the resource that its own references start from. */
export interface Target {
  readonly schema: unknown
  readonly resource: unknown
}

/** Gives 'remote' for what only a fetch could find, undefined for what does not exist. */
export type Resolver = (resource: unknown, reference: string) => Target | 'remote' | undefined

interface Identifiers {
  readonly resources: Map<string, Target>
  readonly anchors: Map<string, Target>
}

/**
 * Follows references inside one raw document: `#`, a pointer (percent-encoded or not), an anchor, or the `$id` of an
 * embedded resource. The document is searched for identifiers once, when a reference first needs them.
 */
export function resolver(document: unknown): Resolver {
  let known: Identifiers | undefined
  const identifiers = (): Identifiers => (known ??= findIdentifiers(document))
  return (resource, reference) => {
    const [address = '', fragment = ''] = reference.split('#')
    const base = address === '' ? resource : embedded(identifiers(), address)
    if (base === undefined) return 'remote'
    const pointer = decode(fragment)
    if (pointer === '') return { schema: base, resource: base }
    if (!pointer.startsWith('/')) return identifiers().anchors.get(pointer)
    return follow(base, pointer) ?? follow(document, pointer)
  }
}

/** By the identifier as it is written, or by the end of it for a relative address. */
function embedded({ resources }: Identifiers, address: string): unknown {
  const exact = resources.get(address)
  if (exact) return exact.schema
  return [...resources].find(([id]) => id.endsWith(`/${address}`))?.[1].schema
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
    const token = unescapeToken(part)
    if (typeof schema !== 'object' || schema === null || !Object.hasOwn(schema, token)) {
      return undefined
    }
    schema = (schema as Record<string, unknown>)[token]
    if (isPlainObject(schema) && ownIdentifier(schema) !== undefined) resource = schema
  }
  return { schema, resource }
}

/** The `$id` of a resource; `#name` is an anchor in drafts up to 07. */
export function ownIdentifier(schema: { readonly [key: string]: unknown }): string | undefined {
  const id = schema['$id'] ?? schema['id']
  return typeof id === 'string' && id !== '' && !id.startsWith('#') ? id : undefined
}

function findIdentifiers(document: unknown): Identifiers {
  const found: Identifiers = { resources: new Map(), anchors: new Map() }
  const seen = new Map<unknown, unknown>([[document, document]])
  // A map that grows while it is walked is walked to its end.
  for (const [schema, outer] of seen) {
    if (typeof schema !== 'object' || schema === null) continue
    const fields = schema as { readonly [key: string]: unknown }
    const id = ownIdentifier(fields)
    const target = { schema, resource: id === undefined ? outer : schema }
    if (id !== undefined) found.resources.set(id.replace(/#$/, ''), target)
    for (const key of ['$anchor', '$dynamicAnchor', '$id', 'id']) {
      const anchor = key.endsWith('d') ? /^#(.+)/.exec(String(fields[key]))?.[1] : fields[key]
      if (typeof anchor === 'string') found.anchors.set(anchor, target)
    }
    for (const [key, value] of Object.entries(fields)) {
      // Values, not schemas: identifiers inside them mean nothing.
      if (!/^(?:enum|const|default|examples?)$/.test(key) && !seen.has(value)) {
        seen.set(value, target.resource)
      }
    }
  }
  return found
}
