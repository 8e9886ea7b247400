import { InvalidOptionsError } from '@callgate/spec'

/** A fault in the options: by a stable rule, at a place, with what to do. */
export function refusal(
  rule: string,
  where: string,
  message: string,
  hint: string,
): InvalidOptionsError {
  return new InvalidOptionsError({ rule, where, message, hint })
}

/** Looks whether an object has the functions that are called of it. @throws InvalidOptionsError */
export function requireFunctions(value: unknown, names: readonly string[], where: string): void {
  const missing = names.filter(
    (name) =>
      typeof value !== 'object' ||
      value === null ||
      typeof (value as Record<string, unknown>)[name] !== 'function',
  )
  if (missing.length === 0) return
  throw refusal(
    'mcp-functions',
    where,
    `${where} has no function ${missing.map((name) => `"${name}"`).join(', ')}.`,
    `Give an object with the functions ${names.join(', ')}.`,
  )
}

/** A file or folder of a store. @throws InvalidOptionsError */
export function requirePath(path: unknown, factory: string): asserts path is string {
  if (typeof path === 'string' && path !== '') return
  throw refusal(
    'mcp-path',
    factory,
    `${factory} needs a path, not ${path === undefined ? 'nothing' : JSON.stringify(path)}.`,
    `Call ${factory} with the path of its file or folder.`,
  )
}
