/** A value, or a promise of it where something outside had to be waited for. */
export type Maybe<T> = T | Promise<T>

/** Whether the value is still to come. */
export function isPromiseLike<T>(value: Maybe<T>): value is Promise<T> {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { then?: unknown }).then === 'function'
  )
}
