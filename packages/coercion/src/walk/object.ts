import type { PlanNode } from '../plan/model.ts'
import { childOf } from '../plan/node.ts'
import { accepts, record, sameJson, type Walk } from './walk.ts'

type Fields = Readonly<Record<string, unknown>>

/** The key goes: null in an optional field that forbids it, or a second spelling of a name with the same value. */
const DROP: unique symbol = Symbol()

/**
 * Restores names and coerces the values of an object, key by key, in order. Undeclared keys stay. An exact name wins
 * over a restored one; where both are there with different values, both are kept.
 */
export function coerceObject(walk: Walk, node: PlanNode, fields: Fields): Fields {
  const entries: [name: string, value: unknown][] = []
  // Null goes before its name is wanted for a value under the shown name, wherever the two stand.
  const gone = new Set<string>()
  const isGone = (key: string): boolean => {
    if (fields[key] === null && !gone.has(key) && dropsNull(walk, node, key)) gone.add(key)
    return gone.has(key)
  }
  let changed = false
  for (const key of Object.keys(fields)) {
    const own = fields[key]
    const name = isGone(key) ? undefined : restoredName(walk, node, fields, key, isGone)
    const value = name === undefined ? DROP : coerceField(walk, node, name, own)
    changed ||= name !== key || !Object.is(value, own)
    if (name !== undefined && value !== DROP) entries.push([name, value])
  }
  // Assigned, a name `__proto__` would swap the prototype; here it is data.
  return changed ? Object.fromEntries(entries) : fields
}

function coerceField(walk: Walk, node: PlanNode, name: string, value: unknown): unknown {
  if (value === null) return dropsNull(walk, node, name) ? DROP : null
  const child = childOf(node, name)
  return child.node ? walk.value(walk, child.node, value, child.token) : value
}

/** Whether null goes: strict schemas leave it as the only way to say "absent" (policy rule 6). */
function dropsNull(walk: Walk, node: PlanNode, name: string): boolean {
  if (walk.namesOnly || node.required.has(name) || !node.names.has(name)) return false
  const child = childOf(node, name)
  if (!child.node || accepts(child.node, null)) return false
  record(walk, 'drop-null', null, undefined, child.token)
  return true
}

/** The schema's own name for a key; undefined where it only repeats a field that is there under its own name. */
function restoredName(
  walk: Walk,
  node: PlanNode,
  fields: Fields,
  key: string,
  isGone: (key: string) => boolean,
): string | undefined {
  const name = node.restore.get(key)
  if (typeof name !== 'string' || walk.here.some(({ names }) => names.has(key))) return key
  const twice = Object.hasOwn(fields, name) && !isGone(name)
  if (twice && !sameJson(fields[name], fields[key])) return key
  record(walk, 'rename', key, name, childOf(node, name).token)
  return twice ? undefined : name
}
