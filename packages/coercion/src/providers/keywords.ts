import { pointerToken, shown } from '../json.ts'
import { renamedNames } from '../names/rename.ts'
import { keywordKinds } from '../schema/keywords.ts'
import type { LoadedObject, LoadedSchema } from '../schema/model.ts'
import { areDisjoint } from './disjoint.ts'
import { allows } from './profile.ts'
import { anything, describe, lose, orNull, takes, type Showing, type Shown } from './showing.ts'

/** Writes the keywords of a schema; those that the provider does not take go into its description. */
export function showKeywords(showing: Showing, schema: LoadedObject, path: string): Shown {
  const adapted = adapt(showing, schema, path)
  const { properties, type = [] } = adapted
  if (properties !== undefined || type.includes('object')) return showObject(showing, adapted, path)
  const out = showAllowed(showing, adapted, path, new Map())
  return type.includes('array') ? withItems(showing, out, path) : out
}

function showObject(showing: Showing, schema: LoadedObject, path: string): Shown {
  if (path !== '' && isMap(showing, schema)) return showAsText(showing, schema, path)
  const { properties = {}, required = [], type = [] } = schema
  const renamed = renamedNames(Object.keys(properties), showing.profile.names)
  const out = showAllowed(showing, { properties, ...schema }, path, renamed)
  settleRequired(showing, out, required, renamed, path)
  return type.includes('array') ? withItems(showing, out, path) : out
}

/** Some must be told what the entries of a list are. */
function withItems(showing: Showing, out: Shown, path: string): Shown {
  if (showing.profile.typed) out['items'] ??= anything(showing, path)
  return out
}

function showAllowed(
  showing: Showing,
  schema: LoadedObject,
  path: string,
  renamed: ReadonlyMap<string, string>,
): Shown {
  const out: Shown = {}
  const lost: string[] = []
  for (const [keyword, value] of Object.entries(schema)) {
    if (allows(showing.profile, keyword, value)) {
      out[keyword] = showValue(showing, keyword, value, path + pointerToken(keyword), renamed)
    } else if (keywordKinds.has(keyword) || keyword === 'format') {
      lost.push(`${keyword} ${shown(value)}`)
      lose(showing, path, keyword)
    }
  }
  return lost.length > 0 && showing.describe ? describe(out, `(${lost.join(', ')})`) : out
}

/** Only names that are shown are required; a closed object requires all, and null stands for an optional one. */
function settleRequired(
  showing: Showing,
  out: Shown,
  required: readonly string[],
  renamed: ReadonlyMap<string, string>,
  path: string,
): void {
  const fields = out['properties'] as Shown
  const names = required.map((name) => renamed.get(name) ?? name)
  const known = names.filter((name) => Object.hasOwn(fields, name))
  if (known.length < names.length) lose(showing, path, 'required')
  if (!showing.profile.closed) {
    if (known.length > 0) out['required'] = known
    else delete out['required']
    return
  }
  for (const [name, field] of Object.entries(fields)) {
    if (!known.includes(name)) fields[name] = orNull(showing, field as Shown)
  }
  out['required'] = Object.keys(fields)
  out['additionalProperties'] = false
}

/** The same said with keywords that the provider takes. */
function adapt(showing: Showing, schema: LoadedObject, path: string): LoadedObject {
  const { oneOf, const: value, ...rest } = schema
  const kept = takes(showing, 'oneOf') || rest.anyOf !== undefined
  if (oneOf) rest[kept ? 'oneOf' : 'anyOf'] = oneOf
  if (oneOf && !kept && !areDisjoint(showing.document, oneOf)) lose(showing, path, 'oneOf')
  if (value === undefined) return rest
  return takes(showing, 'const') ? { ...rest, const: value } : { enum: [value], ...rest }
}

function showValue(
  showing: Showing,
  keyword: string,
  value: unknown,
  path: string,
  renamed: ReadonlyMap<string, string>,
): unknown {
  const rename = (name: string): string => renamed.get(name) ?? name
  const inner = (part: unknown, token?: string | number): unknown =>
    showing.show(
      showing,
      part as LoadedSchema,
      token === undefined ? path : path + pointerToken(token),
    )
  const field = (part: unknown, name: string): unknown => {
    if (Array.isArray(part)) return part.map(rename)
    const shownField = inner(part, name) as Shown
    // A name of underscores tells the model nothing.
    const plain = !showing.describe || rename(name) === name || shownField['$ref']
    return plain ? shownField : describe(shownField, `(${shown(name)})`)
  }
  switch (keywordKinds.get(keyword)) {
    case 'schema':
    case 'items':
      return typeof value === 'boolean' ? value : inner(value)
    case 'list':
      return (value as unknown[]).map(inner)
    case 'dependencies':
    case 'map': {
      const named = keyword === 'patternProperties' ? inner : field
      const entries = Object.entries(value as object)
      return Object.fromEntries(
        entries.map(([name, part]) => [
          keyword === 'patternProperties' ? name : rename(name),
          named(part, name),
        ]),
      )
    }
    case 'type':
      return (value as unknown[]).length === 1 ? (value as unknown[])[0] : value
    default:
      showing.left -= JSON.stringify(value)?.length ?? 0
      return value
  }
}

/** Fields whose names are not known, where the provider needs to know them. */
function isMap(showing: Showing, schema: LoadedObject): boolean {
  const { properties, patternProperties, additionalProperties } = schema
  if (takes(showing, 'additionalProperties') && !showing.profile.closed) return false
  return (
    Boolean(additionalProperties ?? patternProperties) || Object.keys(properties ?? {}).length === 0
  )
}

/** Such an object is asked for as JSON text, which coercion reads back. */
function showAsText(showing: Showing, schema: LoadedObject, path: string): Shown {
  lose(showing, path, 'shown as JSON text')
  const { additionalProperties: values = {}, description = '' } = schema
  const entries = shown(showing.show(showing, values, `${path}/additionalProperties`))
  return describe({ type: 'string', description }, `(JSON text of an object of ${entries})`)
}
