import { abortable } from './abortable.ts'

/** Waits; rejects when the signal fires first. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  return abortable(waited, signal).finally(() => clearTimeout(timer))
}

const shortestPollMs = 50
const longestPollMs = 5000
const defaultPollMs = 1000

/** How long to wait before asking again, of what a server wishes. */
export function pollMs(wanted: unknown): number {
  const ms = typeof wanted === 'number' ? wanted : defaultPollMs
  return Math.min(longestPollMs, Math.max(shortestPollMs, ms))
}
