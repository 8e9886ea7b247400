/** JSON types as bits, so that "does this schema take this value" is one AND. */
export const STRING = 1
/** A number without a fraction. */
export const INTEGER = 2
/** A number with a fraction. */
export const FRACTION = 4
const BOOLEAN = 8
export const NULL = 16
export const ARRAY = 32
export const OBJECT = 64
/** Numbers and booleans, whose values may be spelled. */
export const SPELLED = 14
export const ANY = 127

/** The names of the types, with their bits. */
export const typeBits: ReadonlyMap<string, number> = new Map([
  ['string', STRING],
  ['integer', INTEGER],
  ['number', INTEGER | FRACTION],
  ['boolean', BOOLEAN],
  ['null', NULL],
  ['array', ARRAY],
  ['object', OBJECT],
])

/** The bit of a value; 0 for what JSON does not have. */
export function bitOf(value: unknown): number {
  if (typeof value === 'number') {
    return Number.isInteger(value) ? INTEGER : Number.isFinite(value) ? FRACTION : 0
  }
  if (typeof value === 'object')
    return value === null ? NULL : Array.isArray(value) ? ARRAY : OBJECT
  return typeof value === 'bigint' ? INTEGER : (typeBits.get(typeof value) ?? 0)
}
