import { isFields, pointerToken } from '../json.ts'
import { legalName } from '../names/rename.ts'
import { keywordKinds } from '../schema/keywords.ts'
import { sizeOf } from '../schema/size.ts'
import { allows, refusedAtRoot, type Profile } from './profile.ts'

type Fields = Record<string, unknown>

/** One schema under the rules of one profile. */
interface Checking {
  readonly profile: Profile
  readonly broken: string[]
  readonly counts: { properties: number; enumValues: number; depth: number; characters: number }
}

/** The limits of a profile that a schema breaks, each as a pointer and what is wrong there. */
export function brokenLimits(root: unknown, profile: Profile): string[] {
  if (sizeOf(root) === Infinity) return ['/: too large']
  const top: Fields = isFields(root) ? root : {}
  const characters = JSON.stringify(top).length
  const counts = { properties: 0, enumValues: 0, depth: 0, characters }
  const checking: Checking = { profile, broken: [], counts }
  visit(checking, top, '', 0)
  check(checking, '', {
    type: top['type'] !== 'object',
    'root union': Object.keys(top).some((keyword) => refusedAtRoot.test(keyword)),
  })
  for (const [name, most = Infinity] of Object.entries(profile.limits ?? {})) {
    check(checking, '', {
      [`more than ${most} ${name}`]: counts[name as keyof typeof counts] > most,
    })
  }
  return checking.broken
}

function check({ broken }: Checking, path: string, rules: Fields): void {
  for (const [what, fails] of Object.entries(rules)) {
    if (fails) broken.push(`${path || '/'}: ${what}`)
  }
}

function visit(checking: Checking, schema: unknown, path: string, depth: number): void {
  const { profile, counts } = checking
  if (!isFields(schema)) {
    return check(checking, path, { schema: schema !== true || profile.typed === 'all' })
  }
  checkTypes(checking, schema, path)
  checkFields(checking, schema, path)
  counts.depth = Math.max(counts.depth, depth)
  for (const [keyword, value] of Object.entries(schema)) {
    const kind = keywordKinds.get(keyword)
    const at = path + pointerToken(keyword)
    check(checking, path, { [keyword]: !allows(profile, keyword, value) })
    if (kind === 'items' || (kind === 'schema' && isFields(value))) {
      visit(checking, value, at, depth + 1)
    }
    if (kind !== 'list' && kind !== 'map' && kind !== 'definitions') continue
    const deeper = keyword === 'properties' ? depth + 1 : depth
    for (const [name, part] of Object.entries(Object(value) as Fields)) {
      visit(checking, part, at + pointerToken(name), deeper)
    }
  }
}

function checkTypes(checking: Checking, schema: Fields, path: string): void {
  const { type, items, anyOf, $ref } = schema
  const { typed, typeLists, nullable, refAlone } = checking.profile
  check(checking, path, {
    'type list': Array.isArray(type) && !typeLists,
    type: typed === 'all' && (!(type ?? anyOf ?? $ref) || (type === 'null' && nullable)),
    items: typed && type === 'array' && items === undefined,
  })
  if (typeof $ref !== 'string') return
  check(checking, path, {
    'remote $ref': !$ref.startsWith('#'),
    'words beside $ref': refAlone && Object.keys(schema).length > 1,
  })
}

function checkFields(checking: Checking, schema: Fields, path: string): void {
  const { type, properties, additionalProperties, required = [], enum: members = [] } = schema
  const { profile, counts } = checking
  const names = Object.keys(Object(properties) as object)
  const needed = [required].flat()
  counts.properties += names.length
  counts.enumValues += [members].flat().length
  const optional = profile.typed === 'all' && names.some((name) => !needed.includes(name))
  const open = optional || additionalProperties !== false
  check(checking, path, {
    name: names.some((name) => legalName(name, profile.names) !== name),
    'open object': profile.closed && (type === 'object' || properties) && open,
  })
}
