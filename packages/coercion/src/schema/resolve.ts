import { textOf, unescapeToken } from '../json.ts'

/**
 * Gives the raw schema that a reference in the schema `from` leads to, null for what only a fetch could find, undefined
 * for what does not exist.
 */
export type Resolver = (reference: string, from: unknown) => unknown

/**
 * Follows references inside one raw document: `#`, a pointer (percent-encoded or not), an anchor, or the `$id` of a
 * part. The document is searched for identifiers once, when a reference first needs them.
 */
export function resolver(document: unknown): Resolver {
  let known: Identifiers | undefined
  return (reference, from) => {
    const { found, homes } = (known ??= findIdentifiers(document))
    const [address = '', fragment = ''] = reference.split('#')
    const base = address === '' ? (homes.get(from) ?? document) : found.get(address)
    const pointer = decode(fragment)
    if (base === undefined) return null
    return /^[^/]/.test(pointer)
      ? found.get(`#${pointer}`)
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

interface Identifiers {
  /** Parts by `$id`, as it is written, and by anchor, with a `#` in front. */
  readonly found: ReadonlyMap<string, unknown>
  /** Each part with the nearest around it that has an `$id`, where its pointers begin; undefined for the document. */
  readonly homes: ReadonlyMap<unknown, unknown>
}

function findIdentifiers(document: unknown): Identifiers {
  const found = new Map<string, unknown>()
  const homes = new Map<unknown, unknown>([[document, undefined]])
  // A map that grows while it is walked is walked to its end.
  for (const [schema, around] of homes) {
    if (typeof schema !== 'object' || !schema) continue
    const { $id, id = $id, $anchor, $dynamicAnchor = $anchor } = schema as Record<string, unknown>
    const name = textOf(id).replace(/#$/, '')
    found.set(name, schema).set(`#${textOf($dynamicAnchor)}`, schema)
    const home = /^[^#]/.test(name) ? schema : around
    homes.set(schema, home)
    for (const [key, value] of Object.entries(schema)) {
      // What stands in values is no schema.
      if (!/^(?:enum|const|default|examples?)$/.test(key) && !homes.has(value)) {
        homes.set(value, home)
      }
    }
  }
  return { found, homes }
}
