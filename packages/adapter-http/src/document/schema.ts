import type { JsonSchema } from '@callgate/spec'

import type { Located, References } from './references.ts'
import { convertSchema, type Dialect } from './schema-convert.ts'

/** Turns schemas of one document into JSON Schema 2020-12 and gathers what they refer to (D2). */
export interface SchemaSource {
  /** Converts a schema; keys of what it refers to are added to `uses`. `files`: binary strings become file objects. */
  convert(node: Located, uses: Set<string>, files?: boolean): JsonSchema
  /** `$defs` of everything that is reachable from these keys. */
  definitions(uses: ReadonlySet<string>): { readonly [name: string]: JsonSchema }
}

interface Definition {
  readonly schema: JsonSchema
  readonly uses: ReadonlySet<string>
}

/** Makes the source; each shared schema is converted once, when something first refers to it. */
export function createSchemaSource(references: References, dialect: Dialect): SchemaSource {
  const located = new Map<string, Located>()
  const definitions = new Map<string, Definition>()
  const nameOf = createNames()

  const convert: SchemaSource['convert'] = ({ value, file }, uses, files = false) =>
    convertSchema(value, {
      dialect,
      references,
      file,
      files,
      depth: 0,
      refer: (reference, from) => {
        const target = references.resolve(reference, from)
        located.set(target.key, target)
        uses.add(target.key)
        return `#/$defs/${nameOf(target.key)}`
      },
    })

  const define = (key: string): Definition => {
    const uses = new Set<string>()
    const node = located.get(key)
    const definition = definitions.get(key) ?? { schema: node ? convert(node, uses) : {}, uses }
    definitions.set(key, definition)
    return definition
  }

  return {
    convert,
    definitions: (uses) => {
      const found: [string, JsonSchema][] = []
      const keys = new Set(uses)
      // A set grows while it is walked: what a definition uses is visited after it, once.
      for (const key of keys) {
        const definition = define(key)
        found.push([nameOf(key), definition.schema])
        for (const used of definition.uses) keys.add(used)
      }
      return Object.fromEntries(found)
    },
  }
}

/** Short names for the targets of references, each its own. */
function createNames(): (key: string) => string {
  const byKey = new Map<string, string>()
  const taken = new Set<string>()
  return (key) => {
    const known = byKey.get(key)
    if (known !== undefined) return known
    const wish = (key.split('/').at(-1) ?? '').replaceAll(/[^A-Za-z0-9_.-]+/g, '_') || 'schema'
    let name = wish
    for (let count = 2; taken.has(name); count += 1) name = `${wish}_${count}`
    taken.add(name)
    byKey.set(key, name)
    return name
  }
}
