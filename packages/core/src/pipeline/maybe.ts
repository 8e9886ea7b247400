import { isPromiseLike as isThenable } from '@callgate/hooks'

import type { Call } from './call.ts'
import type { Services } from './services.ts'

/** A value, or a promise of it where something outside had to be waited for. */
export type Maybe<T> = T | Promise<T>

/** Whether a value of ours is still to come. Cheaper than to look for a `then` in objects of every shape. */
export function isPromise<T>(value: Maybe<T>): value is Promise<T> {
  return value instanceof Promise
}

type Next<A, B> = (call: Call, services: Services, value: A) => Maybe<B>

/**
 * The next step of a call, at once where the one before did not have to wait. A step is a plain function: a closure would
 * be made for every call, and most wait nowhere.
 */
export function proceed<A, B>(
  value: Maybe<A>,
  call: Call,
  services: Services,
  next: Next<A, B>,
): Maybe<B> {
  return isPromise(value) ? later(value, call, services, next) : next(call, services, value)
}

function later<A, B>(
  value: Promise<A>,
  call: Call,
  services: Services,
  next: Next<A, B>,
): Promise<B> {
  return value.then((settled) => next(call, services, settled))
}

/** Tells of a promise that nobody waits for when it is rejected: others may give one where nothing was asked for. */
export function whenRejected(given: unknown, tell: (error: unknown) => void): void {
  if (isThenable(given)) Promise.resolve(given).then(undefined, tell)
}

/** Whether a value that others made is still to come. */
export const isPromiseLike: <T>(value: Maybe<T>) => value is Promise<T> = isThenable as never
