import type { Ports } from '@callgate/spec'

/**
 * Runs what an adapter does outside of calls, with a limit in milliseconds: its signal is aborted then, and the promise
 * is rejected whether the adapter listens or not, so that one adapter never holds up the gateway.
 *
 * @throws Error when it takes longer, and whatever it throws.
 */
export function within<T>(
  clock: Ports['clock'],
  { ms, what }: { readonly ms: number; readonly what: string },
  run: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  return new Promise((resolve, reject) => {
    const timer = clock.setTimeout(() => {
      const late = new Error(`${what} took longer than ${ms} ms`)
      controller.abort(late)
      reject(late)
    }, ms)
    new Promise<T>((start) => start(run(controller.signal)))
      .finally(() => clock.clearTimeout(timer))
      .then(resolve, reject)
  })
}
