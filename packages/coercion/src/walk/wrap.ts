import type { PlanNode } from '../plan/model.ts'
import { declares, entryOf } from '../plan/node.ts'
import { ARRAY } from '../plan/types.ts'
import { trimSpace } from '../text/trim.ts'
import { looksLikeJson } from './readings.ts'
import { accepts, NOTHING, onlyKey, record, sameJson, type Walk } from './walk.ts'

const envelopeKeys = new Set(['item', 'items', 'value', 'values', 'list', 'data'])

/** One value, or an envelope around a list, where a list is wanted (policy rules 4 and 5). */
export function wrapInList(walk: Walk, node: PlanNode, value: unknown, token: string): unknown {
  if ((node.mask & ARRAY) === 0 || value === null || value === undefined) return NOTHING
  const branches = node.schemas.some((s) => s.items !== undefined || s.prefixItems !== undefined)
    ? []
    : node.unions.flatMap((union) => union.filter((branch) => (branch.mask & ARRAY) !== 0))
  return branches.length === 0
    ? wrapFor(walk, node, value, token)
    : onlyList(walk, branches, value, token)
}

/** The list that all branches of a union agree on. */
function onlyList(
  walk: Walk,
  branches: readonly PlanNode[],
  value: unknown,
  token: string,
): unknown {
  const start = walk.repairs.length
  let list: unknown = NOTHING
  let repairs = walk.repairs.slice(start)
  for (const branch of branches) {
    const one = wrapInList(walk, branch, value, token)
    const own = walk.repairs.splice(start)
    if (one === NOTHING || sameJson(list, one)) continue
    if (list !== NOTHING) return NOTHING
    list = one
    repairs = own
  }
  walk.repairs.push(...repairs)
  return list
}

function wrapFor(walk: Walk, node: PlanNode, value: unknown, token: string): unknown {
  const item = entryOf(node, 0).node
  const start = walk.repairs.length
  const opened = openEnvelope(walk, node, item, value, token)
  if (opened !== NOTHING) return opened
  const entry = item ? walk.settings.value(walk, item, value, `${token}/0`) : value
  if ((item && !accepts(walk, item, entry)) || isNoEntry(entry)) {
    walk.repairs.length = start
    return NOTHING
  }
  const inner = walk.repairs.splice(start)
  record(walk, 'wrap', value, [entry], token)
  walk.repairs.push(...inner)
  return [entry]
}

/** Empty text has too many meanings, and what looks like JSON may be a broken list. */
function isNoEntry(entry: unknown): boolean {
  return typeof entry === 'string' && (trimSpace(entry) === '' || looksLikeJson(entry))
}

/** `{"item": [...]}` and the like, unless the key is a field of the entries. */
function openEnvelope(
  walk: Walk,
  node: PlanNode,
  item: PlanNode | undefined,
  value: unknown,
  token: string,
): unknown {
  const content = envelopeContent(item, value)
  if (content === NOTHING || (!Array.isArray(content) && item === undefined)) return NOTHING
  const start = walk.repairs.length
  const list = Array.isArray(content)
    ? walk.settings.inside(walk, node, content, token)
    : wrapFor(walk, node, content, token)
  const inner = walk.repairs.splice(start)
  if (list === NOTHING || !walk.settings.check(node.source, list)) return NOTHING
  record(walk, 'open-envelope', value, content, token)
  walk.repairs.push(...inner)
  return list
}

function envelopeContent(item: PlanNode | undefined, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return NOTHING
  const key = onlyKey(value, envelopeKeys)
  if (key === undefined || (item && declares(item, key))) return NOTHING
  return (value as Record<string, unknown>)[key]
}
