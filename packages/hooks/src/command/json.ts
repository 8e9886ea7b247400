import { isRecord } from '../is-record.ts'

export type Json = { readonly [key: string]: unknown }

/** The object that a text is in JSON; undefined for everything else. */
export function parseObject(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
