/** A value, or a promise of it where something outside had to be waited for. */
export type Maybe<T> = T | Promise<T>

/** Whether a value of ours is still to come. Cheaper than to look for a `then` in objects of every shape. */
export function isPromise<T>(value: Maybe<T>): value is Promise<T> {
  return value instanceof Promise
}

/** Whether a value that others made is still to come. */
export function isPromiseLike<T>(value: Maybe<T>): value is Promise<T> {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { then?: unknown }).then === 'function'
  )
}
