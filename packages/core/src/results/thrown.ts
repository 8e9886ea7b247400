/** The text of whatever was thrown; never throws itself, though anything may be thrown: a proxy, an object without text. */
export function textOfThrown(thrown: unknown): string {
  return readThrown(thrown, ({ message }) => message)
}

/** The same with the stack where there is one, for operators. */
export function stackOfThrown(thrown: unknown): string {
  return readThrown(thrown, ({ stack, message }) => stack ?? message)
}

function readThrown(thrown: unknown, read: (error: Error) => unknown): string {
  try {
    const text = thrown instanceof Error ? read(thrown) : thrown
    if (typeof text === 'string') return text
    return JSON.stringify(text) ?? typeof text
  } catch {
    return 'something that cannot be shown'
  }
}

/** Whether it is an error of ours; a proxy at which nobody can look is none. */
export function isThrown<T>(thrown: unknown, type: new (...given: never[]) => T): thrown is T {
  try {
    return thrown instanceof type
  } catch {
    return false
  }
}
