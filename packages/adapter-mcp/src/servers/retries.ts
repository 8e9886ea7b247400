const firstMs = 1000
const lastMs = 60_000
const refusedMs = 600_000

/** Starts a server again by itself, ever more rarely, as long as nobody else would. */
export interface Retries {
  /** Tries in a while, where it is needed. */
  later(): void
  now(): Promise<void>
  /** It is up: where it goes down, it is tried soon. */
  succeeded(): void
  /** Its user said no, and must not be asked again and again. */
  refused(): void
  stop(): void
}

export function createRetries(needed: () => boolean, start: () => Promise<void>): Retries {
  let timer: NodeJS.Timeout | undefined
  let waitMs = firstMs

  const now = async (): Promise<void> => {
    await start()
    // Also where it was refused to try yet.
    later()
  }
  const later = (): void => {
    if (!needed()) return
    clearTimeout(timer)
    timer = setTimeout(() => void now(), waitMs)
    timer.unref()
    waitMs = Math.min(waitMs * 2, Math.max(lastMs, waitMs))
  }
  return {
    later,
    now,
    succeeded: () => {
      waitMs = firstMs
    },
    refused: () => {
      waitMs = refusedMs
    },
    stop: () => clearTimeout(timer),
  }
}
