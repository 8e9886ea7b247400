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

/** Whether a block already holds these arguments. */
export function sayTheSame(block: unknown, given: unknown): boolean {
  return block === given || equal(block, argumentsObject(given))
}

function equal(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => equal(item, right[index]))
    )
  }
  if (!isObject(left) || !isObject(right)) return false
  const keys = Object.keys(left)
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && equal(left[key], right[key]))
  )
}
