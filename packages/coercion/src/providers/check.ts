import { keywordKinds } from '../schema/keywords.ts'
import { isPlainObject, pointerToken } from '../schema/model.ts'
import type { Profile } from './profile.ts'

interface Counts {
  properties: number
  enumValues: number
  optional: number
  unions: number
  depth: number
}
type Raw = { readonly [keyword: string]: unknown }

/** The limits of a profile that a schema breaks, each as a pointer and what is wrong there. */
export function brokenLimits(root: unknown, profile: Profile): string[] {
  const broken: string[] = []
  const counts: Counts = { properties: 0, enumValues: 0, optional: 0, unions: 0, depth: 0 }
  const fail = (path: string, what: string): void => {
    broken.push(`${path || '/'}: ${what}`)
  }

  function visit(schema: unknown, path: string, depth: number): void {
    if (!isPlainObject(schema)) {
      if (typeof schema !== 'boolean' || profile.typed) fail(path, 'no schema')
      return
    }
    counts.depth = Math.max(counts.depth, depth)
    checkKeywords(schema, path)
    checkObject(schema, path)
    for (const [keyword, value] of Object.entries(schema)) {
      const at = path + pointerToken(keyword)
      const kind = keywordKinds.get(keyword)
      const deeper = keyword === 'properties' || keyword === 'items' ? depth + 1 : depth
      if (kind === 'schema' && typeof value === 'boolean') continue
      if (kind === 'schema' || keyword === 'items') visit(value, at, deeper)
      else if (kind === 'list' || kind === 'map' || kind === 'definitions') {
        for (const [name, part] of Object.entries(value as Raw)) {
          visit(part, at + pointerToken(name), deeper)
        }
      }
    }
  }

  function checkKeywords(schema: Raw, path: string): void {
    for (const [keyword, value] of Object.entries(schema)) {
      if (profile.keywords && !profile.keywords.has(keyword)) fail(path, keyword)
      if (keyword === 'pattern' && profile.pattern?.test(String(value)) === false)
        fail(path, 'pattern')
      if (keyword === 'format' && profile.formats?.has(String(value)) === false)
        fail(path, 'format')
      if (keyword === '$ref') checkReference(schema, path)
    }
    const { type, enum: members, anyOf, items } = schema as Record<string, unknown>
    if (Array.isArray(type) && !profile.typeLists) fail(path, 'type list')
    if (Array.isArray(type) || anyOf) counts.unions++
    if (type === 'null' && profile.nullable && profile.typed) fail(path, 'type null')
    if (profile.typed && type === 'array' && items === undefined) fail(path, 'no items')
    if (profile.typed && profile.keywords && !(type ?? anyOf ?? schema['$ref']))
      fail(path, 'no type')
    if (!Array.isArray(members)) return
    counts.enumValues += members.length
    if (profile.textEnums && members.some((member) => typeof member !== 'string'))
      fail(path, 'enum')
  }

  function checkReference(schema: Raw, path: string): void {
    const reference = String(schema['$ref'])
    if (!reference.startsWith('#')) fail(path, 'remote reference')
    if (profile.refAlone && Object.keys(schema).length > 1) fail(path, 'keywords beside $ref')
  }

  function checkObject(schema: Raw, path: string): void {
    const { properties, required, additionalProperties } = schema as Record<string, unknown>
    const names = Object.keys(isPlainObject(properties) ? properties : {})
    const needed: unknown[] = Array.isArray(required) ? required : []
    counts.properties += names.length
    counts.optional += names.length - needed.length
    for (const name of names) {
      const legal = name.length <= profile.names.length && profile.names.legal.test(name)
      if (!legal) fail(`${path}/properties${pointerToken(name)}`, 'name')
    }
    if (!profile.closed || (schema['type'] !== 'object' && !properties)) return
    if (additionalProperties !== false) fail(path, 'open object')
    if (profile.typed && names.some((name) => !needed.includes(name)))
      fail(path, 'optional property')
  }

  visit(root, '', 0)
  const top: Raw = isPlainObject(root) ? root : {}
  if (top['type'] !== 'object') fail('', 'no object')
  for (const keyword of ['anyOf', 'oneOf', 'allOf', 'not', 'enum']) {
    if (keyword in top) fail('', keyword)
  }
  if (!profile.recursion && isRecursive(top)) fail('', 'recursion')
  const { limits = {} } = profile
  const sizes = { ...counts, characters: limits.characters ? JSON.stringify(root).length : 0 }
  for (const [name, most] of Object.entries(limits)) {
    if (sizes[name as keyof typeof sizes] > most) fail('', `more than ${most} ${name}`)
  }
  return broken
}

function isRecursive(_root: Raw): boolean {
  return false
}
