import { keywordKinds } from '../schema/keywords.ts'
import {
  isPlainObject,
  pointerToken,
  shown as valueText,
  type LoadedObject,
  type LoadedSchema,
} from '../schema/model.ts'
import { showObject } from './objects.ts'
import { anything, describe, lose, takes, type Showing, type Shown } from './showing.ts'

/** Keywords of objects, which are written together. */
const objectKeywords = /^(?:properties|required|dependent\w+)$/

/** Writes the keywords of a schema; those that the provider does not take go into its description. */
export function showKeywords(showing: Showing, schema: LoadedObject, path: string): Shown {
  const adapted = adapt(showing, schema)
  const lost: string[] = []
  let out: Shown = {}
  for (const [keyword, value] of Object.entries(adapted)) {
    if (objectKeywords.test(keyword)) continue
    if (takes(showing, keyword) && fits(showing, keyword, value)) {
      out[keyword] = showValue(showing, keyword, value, path + pointerToken(keyword))
    } else if (keywordKinds.has(keyword) || keyword === 'format') {
      lost.push(`${keyword}: ${valueText(value)}`)
      lose(showing, path, keyword)
    }
  }
  if (adapted.type?.includes('object') || adapted.properties) {
    out = showObject(showing, adapted, out, path)
  }
  if (adapted.type?.includes('array') && showing.profile.typed) out['items'] ??= anything(showing)
  return lost.length > 0 && showing.describe ? describe(out, `(${lost.join(', ')})`) : out
}

/** The same said with keywords that the provider takes. */
function adapt(showing: Showing, schema: LoadedObject): LoadedObject {
  const { oneOf, prefixItems, ...rest } = schema
  const adapted: LoadedObject = { ...schema }
  if (oneOf && !rest.anyOf && !takes(showing, 'oneOf')) {
    delete adapted.oneOf
    adapted.anyOf = oneOf
  }
  if ('const' in rest && !takes(showing, 'const')) {
    delete adapted.const
    adapted.enum = [rest.const]
  }
  if (prefixItems && !takes(showing, 'prefixItems') && !rest.items) {
    adapted.items = { anyOf: prefixItems }
  }
  return adapted
}

function fits({ profile }: Showing, keyword: string, value: unknown): boolean {
  if (keyword === 'pattern') return profile.pattern?.test(String(value)) ?? true
  if (keyword === 'format') return profile.formats?.has(String(value)) ?? true
  if (keyword !== 'enum' || !profile.textEnums) return true
  return Array.isArray(value) && value.every((member) => typeof member === 'string')
}

function showValue(showing: Showing, keyword: string, value: unknown, path: string): unknown {
  const inner = (part: unknown, token?: string | number): unknown =>
    showing.show(
      showing,
      part as LoadedSchema,
      token === undefined ? path : path + pointerToken(token),
    )
  switch (keywordKinds.get(keyword)) {
    case 'schema':
    case 'items':
      return typeof value === 'boolean' && keyword !== 'items' ? value : inner(value)
    case 'list':
      return (value as unknown[]).map(inner)
    case 'map':
      return isPlainObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inner(part, name)]))
        : value
    case 'type':
      return (value as unknown[]).length === 1 ? (value as unknown[])[0] : value
    default:
      return value
  }
}
