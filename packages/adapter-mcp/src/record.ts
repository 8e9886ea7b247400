/** A JSON object, read by key. */
export type JsonRecord = Readonly<Record<string, unknown>>

/** Whether a value is an object that is no array: what JSON calls an object. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
