import type { ArgumentRule } from '../backend.ts'
import type { Parameter } from '../declare/parameters.ts'
import { refuseCall } from './guard.ts'

/** Linux takes 131,072 bytes for one argument, its final NUL included (MAX_ARG_STRLEN). */
export const longestArgument = 131_071

/**
 * The text of one scalar value, checked in the order type, enum, deny-prefix, nul, unicode, length.
 *
 * The schema was checked before; what decides about safety is checked here once more. `values` is the closed
 * list of the parameter, or of its items.
 */
export function textOfValue(
  value: unknown,
  parameter: Parameter,
  values: readonly unknown[] | undefined,
  rule: ArgumentRule,
): string {
  const { name } = parameter
  const text = scalarText(value, name)
  checkClosed(value, name, values)
  const denied = rule.denyPrefix?.find((prefix) => text.startsWith(prefix))
  if (denied !== undefined) {
    return refuseCall('deny-prefix', name, `"${name}" may not begin with "${denied}".`)
  }
  return plainText(text, name)
}

/** Refuses what is not in a closed list of values; undefined is no list. */
export function checkClosed(
  value: unknown,
  name: string,
  values: readonly unknown[] | undefined,
): void {
  if (values === undefined || values.includes(value)) return
  refuseCall('enum', name, `"${name}" must be one of ${JSON.stringify(values)}.`)
}

/** A list or an object never becomes a text (A3). */
export function scalarText(value: unknown, name: string): string {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    return refuseCall('type', name, `"${name}" must be a text, a number or a boolean.`)
  }
  return String(value)
}

/** A text that can be an argument at all, checked in the order nul, unicode, length. */
export function plainText(value: unknown, name: string): string {
  if (typeof value !== 'string') {
    return refuseCall('type', name, `"${name}" must be a text.`)
  }
  if (value.includes('\0')) {
    return refuseCall('nul', name, `"${name}" holds a NUL character; remove it.`)
  }
  checkUnicode(value, name)
  if (Buffer.byteLength(value) > longestArgument) {
    return refuseCall(
      'length',
      name,
      `"${name}" is longer than ${longestArgument} bytes; shorten it.`,
    )
  }
  return value
}

/** Half a surrogate pair has no bytes: something else would be sent in its place. */
export function checkUnicode(text: string, name: string): void {
  if (text.isWellFormed()) return
  refuseCall('unicode-invalid', name, `"${name}" holds half a surrogate pair; remove it.`)
}

/** Refuses a value whose type is not one that the schema names in plain words. */
export function checkType(value: unknown, parameter: Parameter): void {
  const { types, name } = parameter
  if (types !== undefined && !types.some((type) => isOfType(value, type))) {
    refuseCall('type', name, `"${name}" must be ${types.join(' or ')}.`)
  }
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value)
    case 'array':
      return Array.isArray(value)
    case 'null':
      return value === null
    default:
      return typeof value === type && !Array.isArray(value)
  }
}
