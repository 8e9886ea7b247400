import { isFields, pointerToken } from '../json.ts'
import { legalName } from '../names/rename.ts'
import { keywordKinds } from '../schema/keywords.ts'
import { allows, refusedAtRoot, type Profile } from './profile.ts'

type Fields = { readonly [keyword: string]: unknown }

/** The limits of a profile that a schema breaks, each as a pointer and what is wrong there. */
export function brokenLimits(root: unknown, profile: Profile): string[] {
  const broken: string[] = []
  const allTyped = profile.typed === 'all'
  const counts = { properties: 0, enumValues: 0, depth: 0, characters: 0 }

  function check(path: string, rules: { readonly [what: string]: unknown }): void {
    for (const [what, fails] of Object.entries(rules)) {
      if (fails) broken.push(`${path || '/'}: ${what}`)
    }
  }

  function visit(schema: unknown, path: string, depth: number): void {
    if (!isFields(schema)) return check(path, { schema: schema !== true || allTyped })
    checkOne(schema, path)
    counts.depth = Math.max(counts.depth, depth)
    for (const [keyword, value] of Object.entries(schema)) {
      const kind = keywordKinds.get(keyword)
      const at = path + pointerToken(keyword)
      check(path, { [keyword]: !allows(profile, keyword, value) })
      if (kind === 'items' || (kind === 'schema' && isFields(value))) visit(value, at, depth + 1)
      if (kind !== 'list' && kind !== 'map' && kind !== 'definitions') continue
      const deeper = keyword === 'properties' ? depth + 1 : depth
      for (const [name, part] of Object.entries(Object(value) as Fields)) {
        visit(part, at + pointerToken(name), deeper)
      }
    }
  }

  function checkOne(schema: Fields, path: string): void {
    const { type, anyOf, properties, additionalProperties } = schema as Record<string, unknown>
    const { required = [], enum: members = [], items } = schema as Record<string, unknown>
    const $ref = schema['$ref'] as string | undefined
    const names = Object.keys(Object(properties) as object)
    const needed = [required].flat()
    const { closed, typed, names: rule } = profile
    counts.properties += names.length
    counts.enumValues += [members].flat().length
    const optional = allTyped && names.some((name) => !needed.includes(name))
    check(path, {
      'type list': Array.isArray(type) && !profile.typeLists,
      type: allTyped && (!(type ?? anyOf ?? $ref) || (type === 'null' && profile.nullable)),
      items: typed && type === 'array' && items === undefined,
      'remote $ref': $ref !== undefined && !$ref.startsWith('#'),
      'words beside $ref': $ref !== undefined && profile.refAlone && Object.keys(schema).length > 1,
      name: names.some((name) => legalName(name, rule) !== name),
      'open object':
        closed && (type === 'object' || properties) && (optional || additionalProperties !== false),
    })
  }

  const top: Fields = isFields(root) ? root : {}
  counts.characters = JSON.stringify(top).length
  visit(top, '', 0)
  check('', {
    type: top['type'] !== 'object',
    'root union': Object.keys(top).some((keyword) => refusedAtRoot.test(keyword)),
  })
  for (const [name, most = Infinity] of Object.entries(profile.limits ?? {})) {
    check('', { [`more than ${most} ${name}`]: counts[name as keyof typeof counts] > most })
  }
  return broken
}
