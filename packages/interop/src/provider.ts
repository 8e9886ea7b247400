/** The message formats that this package reads and writes (R18.1). */
export type Provider = 'openai-chat' | 'openai-responses' | 'anthropic' | 'bedrock'

/** A JSON object whose keys nobody has checked yet. */
export type JsonObject = { readonly [key: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
