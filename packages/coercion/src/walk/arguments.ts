import { isFields } from '../json.ts'
import type { PlanNode } from '../plan/model.ts'
import { OBJECT } from '../plan/types.ts'
import { readJsonText } from '../text/read-json-text.ts'
import { trimSpace } from '../text/trim.ts'
import { hasRequired, onlyField, record, type Walk } from './walk.ts'

const wrapperKeys = /^(?:arguments|args|input|parameters|params|\$PARAMETER_NAME)$/

/**
 * Another reading of whole arguments that do not fit: absent ones as `{}` if nothing is required, or what a wrapper
 * around them holds. Undefined where there is none.
 */
export function otherArguments(walk: Walk, root: PlanNode, args: unknown): object | undefined {
  if (!(root.mask & OBJECT)) return undefined
  const given = args ?? ''
  if (typeof given !== 'string' || trimSpace(given) !== '') return openWrapper(walk, root, args)
  if (root.required.size > 0) return undefined
  record(walk, 'empty', args, {}, '')
  return {}
}

/**
 * `{"arguments": {...}}` and the like around the whole call, if the tool has required fields and no such field,
 * and the inside supplies all of them and nothing unknown (policy rule 5).
 */
function openWrapper(walk: Walk, root: PlanNode, args: unknown): object | undefined {
  const [key, inside] = root.required.size > 0 ? onlyField(args, wrapperKeys) : []
  if (key === undefined || root.names.has(key)) return undefined
  const read = typeof inside === 'string' ? readJsonText(inside, walk) : undefined
  const content = read?.ok ? read.value : inside
  if (!isFields(content)) return undefined
  const known = Object.keys(content).every((name) => root.names.has(root.restore.get(name) ?? name))
  if (!known || !hasRequired(root, content)) return undefined
  record(walk, 'open-wrapper', args, content, '')
  return content
}
