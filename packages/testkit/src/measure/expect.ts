/** Fails a check. The text says what was found and what the contract wants. */
export function fail(message: string): never {
  const error = new Error(message)
  error.name = 'AdapterCheckError'
  throw error
}

export function check(holds: boolean, message: string): asserts holds {
  if (!holds) fail(message)
}

/** A value as it can stand in a message. */
export function show(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`
  const text = typeof value === 'string' ? JSON.stringify(value) : (jsonOf(value) ?? String(value))
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
