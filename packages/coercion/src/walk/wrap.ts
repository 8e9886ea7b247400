import { spend } from '../effort.ts'
import { WRAP_STEP } from '../limits.ts'
import type { PlanNode } from '../plan/model.ts'
import { childOf } from '../plan/node.ts'
import { ARRAY, bitOf, NULL } from '../plan/types.ts'
import { trimSpace } from '../text/trim.ts'
import { attempt, takeOnly } from './attempt.ts'
import { looksLikeJson } from './readings.ts'
import { accepts, onlyField, record, type Walk } from './walk.ts'

const envelopeKeys = /^(?:items?|values?|list|data)$/

/** One value, or an envelope around a list, where a list is wanted (policy rules 4 and 5). */
export function wrapInList(
  walk: Walk,
  node: PlanNode,
  value: unknown,
  token: string,
): readonly unknown[] | undefined {
  if (!(node.mask & ARRAY) || !(bitOf(value) & ~NULL)) return undefined
  spend(WRAP_STEP)
  const item = childOf(node, 0).node
  const branches = item ? [] : node.unions.flat().filter(({ mask }) => mask & ARRAY)
  if (branches.length > 0) {
    const outcomes = branches
      .map((branch) => attempt(walk, () => wrapInList(walk, branch, value, token)))
      .filter((outcome) => outcome.value !== undefined && accepts(node, outcome.value))
    return takeOnly(walk, outcomes, undefined)
  }
  const opened = openEnvelope(walk, node, item, value, token)
  if (opened) return opened
  const { value: entry, repairs } = attempt(walk, () =>
    // Lists of lists may be lists of themselves.
    item && !token.endsWith('/0/0/0') ? walk.value(walk, item, value, `${token}/0`) : value,
  )
  const list = [entry]
  // Empty text has too many meanings, and what looks like JSON may be a broken list.
  if (typeof entry === 'string' && (trimSpace(entry) === '' || looksLikeJson(entry)))
    return undefined
  if ((item && !accepts(item, entry)) || !accepts(node, list)) return undefined
  record(walk, 'wrap', value, [value], token)
  walk.repairs.push(...repairs)
  return list
}

/** `{"item": [...]}` and the like, unless the key is a field of the entries. */
function openEnvelope(
  walk: Walk,
  node: PlanNode,
  item: PlanNode | undefined,
  value: unknown,
  token: string,
): readonly unknown[] | undefined {
  const [key, content] = onlyField(value, envelopeKeys)
  if (key === undefined || item?.names.has(key)) return undefined
  if (!Array.isArray(content) && !item) return undefined
  const { value: list, repairs } = attempt(walk, () =>
    Array.isArray(content)
      ? (walk.inside(walk, node, content, token) as unknown[])
      : wrapInList(walk, node, content, token),
  )
  if (!list || !walk.check(node.source, list)) return undefined
  record(walk, 'open-envelope', value, content, token)
  walk.repairs.push(...repairs)
  return list
}
