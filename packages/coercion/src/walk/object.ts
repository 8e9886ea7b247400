import { defineOwn } from '../lossless/plain.ts'
import type { PlanNode } from '../plan/model.ts'
import { childNode, declares } from '../plan/node.ts'
import { accepts, record, sameJson, type Walk } from './walk.ts'

type Fields = Readonly<Record<string, unknown>>

/** The key goes: null in an optional field that forbids it, or a second spelling of a name with the same value. */
const DROP: unique symbol = Symbol('drop')

/**
 * Restores names and coerces the values of an object. Undeclared keys stay. An exact name wins over a restored one;
 * where both are there with different values, both are kept.
 */
export function coerceObject(walk: Walk, node: PlanNode, fields: Fields): Fields {
  let copy: Record<string, unknown> | undefined
  /** Set once a key was renamed or dropped: from then on the copy is built key by key, in order. */
  let rebuilding = false
  for (const key of Object.keys(fields)) {
    const own = fields[key]
    const name = node.restore ? restoredName(walk, node, fields, key) : key
    const value = name === DROP ? DROP : coerceField(walk, node, name, own)
    if (!rebuilding && name !== key) {
      copy = copyBefore(copy ?? fields, key)
      rebuilding = true
    } else if (!rebuilding && value === DROP) {
      copy = copyBefore(copy ?? fields, key)
      rebuilding = true
    }
    if (name === DROP || value === DROP) continue
    if (rebuilding || value !== own) {
      copy ??= { ...fields }
      setOwn(copy, name, value)
    }
  }
  return copy ?? fields
}

function coerceField(walk: Walk, node: PlanNode, name: string, value: unknown): unknown {
  // The name cannot be looked up in a schema without meeting a prototype.
  const child = name === '__proto__' ? undefined : childNode(node, name)
  if (child === undefined) return value
  if (value === null && !walk.namesOnly && isSpareNull(walk, node, child, name)) {
    walk.path.push(name)
    record(walk, 'drop-null', null, undefined)
    walk.path.pop()
    return DROP
  }
  walk.path.push(name)
  const coerced = walk.value(child, value)
  walk.path.pop()
  return coerced
}

/** Strict schemas leave null as the only way to say "absent" (policy rule 6). */
function isSpareNull(walk: Walk, node: PlanNode, child: PlanNode, name: string): boolean {
  return !node.required.has(name) && declares(node, name) && !accepts(walk, child, null)
}

function restoredName(
  walk: Walk,
  node: PlanNode,
  fields: Fields,
  key: string,
): string | typeof DROP {
  const name = declares(node, key) ? undefined : node.restore?.get(key)
  if (name === undefined) return key
  if (!Object.hasOwn(fields, name)) {
    record(walk, 'rename', key, name)
    return name
  }
  if (!sameJson(fields[name], fields[key])) return key
  record(walk, 'rename', key, name)
  return DROP
}

function copyBefore(fields: Fields, end: string): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(fields)) {
    if (key === end) break
    setOwn(copy, key, fields[key])
  }
  return copy
}

function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') defineOwn(object, key, value)
  else object[key] = value
}
