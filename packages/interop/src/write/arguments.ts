import { jsonText } from '../json-text.ts'
import { isObject, type JsonObject } from '../provider.ts'

/** Arguments for a provider that wants text: text stays as it is, letter for letter. */
export function argumentsText(given: unknown): string {
  return typeof given === 'string' ? given : (jsonText(given) ?? '{}')
}

/**
 * Arguments for a provider that wants an object. Text that is no JSON object becomes an empty one: the provider
 * would refuse the message for it, and the result of the call says what was wrong.
 */
export function argumentsObject(given: unknown): JsonObject {
  if (isObject(given)) return given
  if (typeof given !== 'string') return {}
  try {
    const parsed: unknown = JSON.parse(given)
    return isObject(parsed) ? parsed : {}
  } catch {
    return {}
  }
}

/** Whether a block already holds these arguments, as an object: anything else the provider would refuse. */
export function sayTheSame(block: unknown, given: unknown): boolean {
  return isObject(block) && (block === given || equal(block, argumentsObject(given)))
}

/** With a stack of its own: a model may nest arguments deeper than ours reaches. */
function equal(one: unknown, other: unknown): boolean {
  const pending: [unknown, unknown][] = [[one, other]]
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [left, right] = pair
    if (Object.is(left, right)) continue
    if (!isNode(left) || !isNode(right) || Array.isArray(left) !== Array.isArray(right))
      return false
    const keys = Object.keys(left)
    if (keys.length !== Object.keys(right).length) return false
    for (const key of keys) {
      if (!Object.hasOwn(right, key)) return false
      pending.push([left[key], right[key]])
    }
  }
  return true
}

/** A list is looked at by its keys as an object is. */
function isNode(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null
}
