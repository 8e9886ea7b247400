import type { Fault } from '../channel/fault.ts'
import type { Listed } from '../discover/list-pages.ts'
import type { McpServer } from '../options.ts'

const shortestMs = 1000
const longestMs = 24 * 60 * 60_000

/**
 * After how many milliseconds a list is read again because its server said so (SEP-2549). A server that gives no
 * time, or none that is left, is not polled: it is asked when the list is wanted or announced as changed.
 */
export function relistMs(
  listed: Listed | { readonly fault: Fault },
  era: 'legacy' | 'modern',
): number | undefined {
  if (era !== 'modern' || 'fault' in listed) return undefined
  const { ttlMs } = listed
  if (ttlMs === undefined || ttlMs <= 0) return undefined
  return Math.min(longestMs, Math.max(shortestMs, ttlMs))
}

/**
 * Whether a list may be kept for a later run. One that is private to who asked is kept only where the configuration
 * tells one user from another, for that is what a cache knows servers by.
 */
export function mayKeep(listed: Listed, era: 'legacy' | 'modern', config: McpServer): boolean {
  if (era !== 'modern' || listed.scope === 'public' || config.url === undefined) return true
  const { headers, auth, url } = config
  if (auth !== undefined || typeof headers === 'function') return false
  return ![url, ...Object.values(headers ?? {})].some((text) => text.includes('{env:'))
}
