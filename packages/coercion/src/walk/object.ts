import { defineOwn } from '../lossless/plain.ts'
import type { Child, PlanNode } from '../plan/model.ts'
import { childOf, declares } from '../plan/node.ts'
import { bitOf, BOOLEAN } from '../plan/types.ts'
import { plainNumber } from './number-text.ts'
import { accepts, record, sameJson, type Walk } from './walk.ts'

type Fields = Readonly<Record<string, unknown>>

/** The key goes: null in an optional field that forbids it, or a second spelling of a name with the same value. */
const DROP: unique symbol = Symbol('drop')

/**
 * Restores names and coerces the values of an object. Undeclared keys stay. An exact name wins over a restored one;
 * where both are there with different values, both are kept.
 */
export function coerceObject(walk: Walk, node: PlanNode, fields: Fields): Fields {
  if (node.restore.size > 0) return rebuildObject(walk, node, fields)
  const start = walk.repairs.length
  let copy: Record<string, unknown> | undefined
  for (const key in fields) {
    const child = node.children.get(key) ?? childOf(node, key)
    const own = fields[key]
    if ((bitOf(own) & child.settled) !== 0) continue
    let value: unknown = typeof own === 'string' ? spelledValue(own, child.spelled) : undefined
    if (value === undefined) value = coerceField(walk, node, key, child, own)
    else
      record(
        walk,
        typeof value === 'number' ? 'text-to-number' : 'text-to-boolean',
        own,
        value,
        child.token,
      )
    if (value === DROP) {
      walk.repairs.length = start
      return rebuildObject(walk, node, fields)
    }
    if (value !== own) {
      copy ??= { ...fields }
      copy[key] = value
    }
  }
  return copy ?? fields
}

/** The same key by key, in order, for objects of which a key changes or goes. */
function rebuildObject(walk: Walk, node: PlanNode, fields: Fields): Fields {
  const copy: Record<string, unknown> = {}
  let changed = false
  for (const key of Object.keys(fields)) {
    const name = restoredName(walk, node, fields, key)
    const value =
      name === undefined ? DROP : coerceField(walk, node, name, childOf(node, name), fields[key])
    changed ||= name !== key || value !== fields[key]
    if (name === undefined || value === DROP) continue
    if (name === '__proto__') defineOwn(copy, name, value)
    else copy[name] = value
  }
  return changed ? copy : fields
}

/** The readings that are met most, found without looking for others: there can be only one. */
function spelledValue(text: string, types: number): number | boolean | undefined {
  if (types === 0) return undefined
  if (text === 'true' || text === 'false') {
    return (types & BOOLEAN) === 0 ? undefined : text === 'true'
  }
  const number = plainNumber(text)
  return number !== undefined && (types & bitOf(number)) !== 0 ? number : undefined
}

function coerceField(
  walk: Walk,
  node: PlanNode,
  name: string,
  child: Child,
  value: unknown,
): unknown {
  if (child.node === undefined) return value
  if (value !== null) return walk.settings.value(walk, child.node, value, child.token)
  if (walk.settings.namesOnly || accepts(child.node, null)) return null
  // Strict schemas leave null as the only way to say "absent" (policy rule 6).
  if (node.required.has(name) || !declares(node, name)) return null
  record(walk, 'drop-null', null, undefined, child.token)
  return DROP
}

/** The schema's own name for a key; undefined where it only repeats a field that is there under its own name. */
function restoredName(walk: Walk, node: PlanNode, fields: Fields, key: string): string | undefined {
  const name = declares(node, key) ? null : node.restore.get(key)
  if (typeof name !== 'string') return key
  const twice = Object.hasOwn(fields, name)
  if (twice && !sameJson(fields[name], fields[key])) return key
  record(walk, 'rename', key, name, childOf(node, name).token)
  return twice ? undefined : name
}
