import { defineOwn } from '../lossless/plain.ts'
import type { PlanNode } from '../plan/model.ts'
import { childOf } from '../plan/node.ts'
import { accepts, record, sameJson, type Walk } from './walk.ts'

type Fields = Readonly<Record<string, unknown>>

/** The key goes: null in an optional field that forbids it, or a second spelling of a name with the same value. */
const DROP: unique symbol = Symbol('drop')

/**
 * Restores names and coerces the values of an object, key by key, in order. Undeclared keys stay. An exact name wins
 * over a restored one; where both are there with different values, both are kept.
 */
export function coerceObject(walk: Walk, node: PlanNode, fields: Fields): Fields {
  const copy: Record<string, unknown> = {}
  let changed = false
  for (const key of Object.keys(fields)) {
    const own = fields[key]
    const name = restoredName(walk, node, fields, key)
    const value = name === undefined ? DROP : coerceField(walk, node, name, own)
    changed ||= name !== key || value !== own
    if (name === undefined || value === DROP) continue
    if (name === '__proto__') defineOwn(copy, name, value)
    else copy[name] = value
  }
  return changed ? copy : fields
}

function coerceField(walk: Walk, node: PlanNode, name: string, value: unknown): unknown {
  const child = childOf(node, name)
  if (child.node === undefined) return value
  if (value !== null) return walk.value(walk, child.node, value, child.token)
  if (walk.namesOnly || accepts(child.node, null)) return null
  // Strict schemas leave null as the only way to say "absent" (policy rule 6).
  if (node.required.has(name) || !node.names.has(name)) return null
  record(walk, 'drop-null', null, undefined, child.token)
  return DROP
}

/** The schema's own name for a key; undefined where it only repeats a field that is there under its own name. */
function restoredName(walk: Walk, node: PlanNode, fields: Fields, key: string): string | undefined {
  const name = node.names.has(key) ? null : node.restore.get(key)
  if (typeof name !== 'string') return key
  const twice = Object.hasOwn(fields, name)
  if (twice && !sameJson(fields[name], fields[key])) return key
  record(walk, 'rename', key, name, childOf(node, name).token)
  return twice ? undefined : name
}
