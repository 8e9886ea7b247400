import { createCoercer } from '@callgate/coercion'

/** The first key of an object that is none of these, with the name that was most likely meant where one is near. */
export function unknownKey(
  given: object,
  keys: readonly string[],
): { readonly key: string; readonly near: string | undefined } | undefined {
  const key = Object.keys(given).find((name) => !keys.includes(name))
  return key === undefined ? undefined : { key, near: nearest(key, keys) }
}

/** As the validator of the adapters' options finds it. */
function nearest(key: string, keys: readonly string[]): string | undefined {
  const properties = Object.fromEntries(keys.map((name) => [name, {}]))
  const coercer = createCoercer({ type: 'object', properties, additionalProperties: false })
  return coercer.coerce({ [key]: null }).errors[0]?.suggestion
}
