import { isThrown } from '../results/thrown.ts'
import { bounded, GivenUp, type Bounds } from '../turn/or-stopped.ts'

/**
 * Runs what an adapter does outside of calls, with a limit in milliseconds and until the stop: its signal is aborted then,
 * and the promise is rejected whether the adapter listens or not, so that one adapter never holds up the gateway.
 *
 * @throws GivenUp when it takes longer or is stopped, and whatever it throws.
 */
export function within<T>(
  bounds: Bounds,
  run: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const work = new Promise<T>((start) => start(run(controller.signal)))
  return bounded(work, bounds).catch((error: unknown) => {
    if (isThrown(error, GivenUp)) controller.abort(error)
    throw error
  })
}
