import { parseArguments, parseLossless, toPlainJson } from '@callgate/coercion'

import type { EnvelopeReader } from './envelope.ts'

/** As the dispatcher reads a bridge call: text is repaired, and an entry's own arguments are left to step 4. */
export const lenientReader: EnvelopeReader = {
  parse(text) {
    const parsed = parseArguments(text)
    if (parsed.ok) return parsed.value
    // A list of calls as text is no object, so the argument parser refuses it.
    return parsed.fault.kind === 'not_object' ? parseList(text) : undefined
  },
  field: (object, key) =>
    Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined,
  isObject,
  readArguments(value) {
    if (value === undefined || value === null) return {}
    return typeof value === 'string' || isObject(value) ? value : undefined
  },
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parseList(text: string): unknown {
  const parsed = parseLossless(text)
  return parsed.ok ? toPlainJson(parsed.value, { dropProto: true }) : undefined
}
