import { cut, isFields, shown } from '../json.ts'
import { renamedNames } from '../names/rename.ts'
import { keywords } from '../schema/keywords.ts'
import type { LoadedObject } from '../schema/model.ts'
import { areDisjoint } from './disjoint.ts'
import { TOLD } from './limits.ts'
import { uniteAll } from './merge.ts'
import { note, takes, visitParts } from './place.ts'
import { profiles } from './profile.ts'
import { asText, describe, type Showing, type Shown } from './showing.ts'

/** Writes the keywords of a schema; those that the provider does not take go into its description. */
export function showKeywords(showing: Showing, schema: LoadedObject): Shown {
  const { type = [] } = schema
  const adapted = adapt(showing, schema)
  if (type.includes('object')) adapted.properties ??= {}
  const { properties } = adapted
  const map = properties && showMap(showing, adapted)
  if (map) return map
  const out = showAllowed(showing, adapted)
  if (type.length === 1) out['type'] = type[0]
  if (properties) settleRequired(showing, out)
  renameFields(showing, out)
  return out
}

/** The same said with keywords that the provider takes. */
function adapt(showing: Showing, schema: LoadedObject): LoadedObject {
  const { oneOf, const: value, ...adapted } = schema
  const kept = adapted.anyOf ?? takes(showing, 'oneOf')
  if (oneOf) {
    if (!kept && !areDisjoint(showing, oneOf)) note(showing, 'oneOf')
    adapted[kept ? 'oneOf' : 'anyOf'] = oneOf
  }
  if (value !== undefined) {
    if (takes(showing, 'const')) adapted['const'] = value
    else adapted.enum ??= [value]
  }
  if (schema.type?.includes('array')) settleItems(showing, adapted)
  settleEntries(showing, adapted)
  if (saysNothing.test(JSON.stringify(adapted['propertyNames']))) delete adapted['propertyNames']
  return adapted
}

/** Of names, which are text. */
const saysNothing = /^(?:true|\{("type":\[[^\]]*"string"[^\]]*\])?\})$/

/** What the entries of a list are, where the provider must be told, or takes it only of all alike. */
function settleItems(showing: Showing, list: LoadedObject): void {
  const { prefixItems, items } = list
  if (prefixItems && !takes(showing, 'prefixItems')) {
    list.items = uniteAll(isFields(items) ? [...prefixItems, items] : prefixItems, 'anyOf')
  } else if (items === undefined && showing.profile.typedItems) {
    list.items = true
  }
}

/** What the fields of patterns are, where it cannot be said of patterns: else none would fit. */
function settleEntries(showing: Showing, map: LoadedObject): void {
  const { patternProperties, additionalProperties } = map
  if (patternProperties && additionalProperties === false && !takes(showing, 'patternProperties')) {
    map.additionalProperties = uniteAll(Object.values(patternProperties), 'anyOf')
  }
}

/**
 * An object of which no field is known, where the provider needs to know them, is asked for as JSON text, which coercion
 * reads back.
 */
function showMap(showing: Showing, schema: LoadedObject): Shown | undefined {
  const { properties = {}, additionalProperties: values } = schema
  if (showing.path === '' || Object.keys(properties).length > 0) return undefined
  if (takes(showing, 'additionalProperties') && !showing.profile.closed) return undefined
  const entries =
    isFields(values) && visitParts(showing, 'additionalProperties', values, showing.show)
  const of = entries ? ` of ${JSON.stringify(entries).slice(0, TOLD)}` : ''
  return asText(showing, 'shown as JSON text', schema['description'], ` of an object${of}`)
}

/** Notes that a keyword is lost; gives what the model is told in its place. */
export function tellLost(showing: Showing, keyword: string, value: unknown): string {
  note(showing, keyword)
  const told = `${keyword} ${cut(value, TOLD)}`
  showing.budget.left -= told.length
  return told
}

function showAllowed(showing: Showing, schema: LoadedObject): Shown {
  const out: Shown = {}
  const lost: string[] = []
  for (const [keyword, value] of Object.entries(schema)) {
    if (takes(showing, keyword, value)) {
      out[keyword] = visitParts(showing, keyword, value, showing.show) ?? value
      // Schemas count for themselves.
      if (out[keyword] === value) showing.budget.left -= JSON.stringify(value)?.length ?? 0
    } else if (keywords.has(keyword) || keyword === 'format') {
      lost.push(tellLost(showing, keyword, value))
    }
  }
  return lost.length > 0 ? describe(out, lost.join(', ')) : out
}

/**
 * Where a field must be declared to be required, only those that are shown are. A closed object requires all, and null
 * stands for an optional one.
 */
function settleRequired(showing: Showing, out: Shown): void {
  const { properties, required = [] } = out as { properties: Shown; required?: string[] }
  const { typed, closed } = showing.profile
  const known = required.filter((name) => !typed || Object.hasOwn(properties, name))
  if (known.length < required.length) note(showing, 'required')
  out['required'] = known
  if (closed) {
    for (const [name, field] of Object.entries(properties)) {
      if (!known.includes(name)) properties[name] = orNull(field as Shown)
    }
    out['required'] = Object.keys(properties)
    if (out['additionalProperties']) note(showing, 'additionalProperties')
    out['additionalProperties'] = false
  } else if (known.length === 0) delete out['required']
}

/** The same schema, also for null. */
function orNull(field: Shown): Shown {
  const { type, anyOf, enum: members } = field
  const also = (list: unknown, one: unknown): unknown[] => [...new Set([list, one].flat())]
  if ([anyOf].flat().some((branch) => Object(branch).type === 'null')) return field
  if (anyOf) return { ...field, anyOf: also(anyOf, { type: 'null' }) }
  if (type === undefined || 'const' in field) return { anyOf: [field, { type: 'null' }] }
  return {
    ...field,
    ...(members !== undefined && { enum: also(members, null) }),
    type: also(type, 'null'),
  }
}

/** Fields under the names that the provider takes, wherever they are named. */
function renameFields(showing: Showing, out: Shown): void {
  const { properties, required = [] } = out as { properties?: Shown; required?: string[] }
  const fields = (properties ?? {}) as Record<string, Shown>
  const { profile } = showing
  const renamed = renamesOf(showing, Object.keys(fields), required)
  if (renamed.size === 0) return
  if (properties) noteNameRules(showing, out)
  // It would refuse the shown names.
  delete out['propertyNames']
  const rename = (part: unknown): unknown =>
    Array.isArray(part) ? [...new Set(part.map(rename))] : (renamed.get(part as string) ?? part)
  for (const [name] of renamed) {
    const field = fields[name]
    // A name of underscores tells the model nothing.
    if (profile !== profiles.any && field && !field['$ref'])
      fields[name] = describe(field, shown(name))
  }
  for (const [keyword, value] of Object.entries(out)) {
    if (!/^(?:properties|required|dependent)/.test(keyword)) continue
    out[keyword] = Array.isArray(value)
      ? rename(value)
      : Object.fromEntries(rename(Object.entries(value as Shown)) as [string, unknown][])
  }
}

/** Own to shown names of what a part declares, and of what it requires that another part declares. */
function renamesOf(
  { names = new Map(), profile, path }: Showing,
  own: readonly string[],
  required: readonly string[],
): ReadonlyMap<string, string> {
  // A definition may require what stands beside the reference to it.
  const beside = path.startsWith('/$d') ? renamedNames([...own, ...required], profile.names) : []
  return new Map([...beside, ...names, ...renamedNames(own, profile.names)])
}

/** Notes what is said about names in general, which is not about the shown ones. */
export function noteNameRules(showing: Showing, schema: LoadedObject): void {
  for (const keyword of ['propertyNames', 'patternProperties']) {
    const said = schema[keyword]
    if (said !== undefined && !saysNothing.test(JSON.stringify(said))) note(showing, keyword)
  }
}
