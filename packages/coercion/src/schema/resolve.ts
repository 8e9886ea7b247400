import { textOf, unescapeToken } from '../json.ts'

/** Gives the raw schema, null for what only a fetch could find, undefined for what does not exist. */
export type Resolver = (reference: string) => unknown

/**
 * Follows references inside one raw document: `#`, a pointer (percent-encoded or not), an anchor, or the `$id` of a
 * part. The document is searched for identifiers once, when a reference first needs them.
 */
export function resolver(document: unknown): Resolver {
  let known: Map<string, unknown> | undefined
  const identified = (name: string): unknown => (known ??= findIdentifiers(document)).get(name)
  return (reference) => {
    const [address = '', fragment = ''] = reference.split('#')
    const base = address === '' ? document : identified(address)
    const pointer = decode(fragment)
    if (base === undefined) return null
    return /^[^/]/.test(pointer)
      ? identified(`#${pointer}`)
      : (follow(base, pointer) ?? follow(document, pointer))
  }
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

/** Own properties and list indexes only: a pointer must not walk into a prototype. */
function follow(start: unknown, pointer: string): unknown {
  let schema = start
  for (const token of pointer.split('/').slice(1).map(unescapeToken)) {
    if (!Object.hasOwn(Object(schema) as object, token)) return undefined
    schema = (schema as Record<string, unknown>)[token]
  }
  return schema
}

/** Parts by `$id`, as it is written, and by anchor, with a `#` in front. */
function findIdentifiers(document: unknown): Map<string, unknown> {
  const found = new Map<string, unknown>()
  const seen = new Set([document])
  // A set that grows while it is walked is walked to its end.
  for (const schema of seen) {
    if (typeof schema !== 'object' || schema === null) continue
    const { $id, id = $id, $anchor, $dynamicAnchor = $anchor } = schema as Record<string, unknown>
    found.set(textOf(id).replace(/#$/, ''), schema).set(`#${textOf($dynamicAnchor)}`, schema)
    for (const [key, value] of Object.entries(schema)) {
      // What stands in values is no schema.
      if (!/^(?:enum|const|default|examples?)$/.test(key)) seen.add(value)
    }
  }
  return found
}
