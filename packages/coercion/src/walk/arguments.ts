import type { PlanNode } from '../plan/model.ts'
import { declares } from '../plan/node.ts'
import { NULL, OBJECT, STRING } from '../plan/types.ts'
import { readJsonText } from '../text/read-json-text.ts'
import { trimSpace } from '../text/trim.ts'
import { accepts, onlyKey, record, type Walk } from './walk.ts'

const wrapperKeys = new Set([
  'arguments',
  'args',
  'input',
  'parameters',
  'params',
  '$PARAMETER_NAME',
])

/**
 * Another reading of whole arguments that do not fit: absent ones as `{}` if nothing is required, or what a wrapper
 * around them holds. Undefined where there is none.
 */
export function otherArguments(walk: Walk, root: PlanNode, args: unknown): object | undefined {
  if ((root.mask & OBJECT) === 0) return undefined
  if (!isAbsent(root, args)) return openWrapper(walk, root, args)
  if (root.required.size > 0) return undefined
  record(walk, 'empty', args, {}, '')
  return {}
}

/** Nothing, null and blank text, where the schema does not take them. */
function isAbsent(root: PlanNode, args: unknown): boolean {
  if (typeof args === 'string') return (root.mask & STRING) === 0 && trimSpace(args) === ''
  return args === undefined || (args === null && (root.mask & NULL) === 0)
}

/**
 * `{"arguments": {...}}` and the like around the whole call, if the tool has required fields and no such field,
 * and the inside supplies all of them and nothing unknown (policy rule 5).
 */
function openWrapper(walk: Walk, root: PlanNode, args: unknown): object | undefined {
  if (!isFields(args) || root.required.size === 0) return undefined
  const key = onlyKey(args, wrapperKeys)
  if (key === undefined || declares(root, key)) return undefined
  const content = readObject(walk, args[key])
  if (!content || !accepts(walk, root, content)) return undefined
  const names = Object.keys(content).map((name) => root.restore?.get(name) ?? name)
  const complete = [...root.required].every((name) => names.includes(name))
  if (!complete || !names.every((name) => declares(root, name))) return undefined
  record(walk, 'open-wrapper', args, content, '')
  return content
}

function readObject(walk: Walk, value: unknown): object | undefined {
  if (typeof value !== 'string') return isFields(value) ? value : undefined
  const read = readJsonText(value, walk.settings)
  return read.ok && isFields(read.value) ? read.value : undefined
}

function isFields(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
