import type { Ports } from '@callgate/spec'

/** A timeout, in milliseconds, that keeps no program alive that is done otherwise; gives what `clearTimeout` takes. */
export function setIdleTimeout(clock: Ports['clock'], run: () => void, ms: number): unknown {
  const timer: unknown = clock.setTimeout(run, ms)
  ;(timer as { unref?: () => void } | undefined)?.unref?.()
  return timer
}
