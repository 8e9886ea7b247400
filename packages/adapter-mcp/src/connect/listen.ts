import type { Client } from '@modelcontextprotocol/client'

import type { ConnectionEvents } from './connection.ts'

const firstDelayMs = 1000
const lastDelayMs = 60_000
/** A server that ends each stream at once is asked ever more rarely. */
const stableMs = 10_000

/**
 * Keeps a `subscriptions/listen` stream open for changes of the tool list (revision 2026-07-28). What changed while
 * it was down is not told, so each re-opening counts as a change.
 */
export function keepListening(
  client: Client,
  events: ConnectionEvents,
  debug: (message: string, fields: object) => void,
): { stop(): void } {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let delay = firstDelayMs

  async function listen(again: boolean): Promise<void> {
    if (stopped) return
    try {
      const subscription = await client.listen({ toolsListChanged: true })
      const since = performance.now()
      if (again) events.toolsChanged()
      if ((await subscription.closed) === 'local') return
      if (performance.now() - since > stableMs) delay = firstDelayMs
    } catch (error) {
      debug('mcp: no subscription', { error: String(error) })
    }
    if (stopped) return
    timer = setTimeout(() => void listen(true), delay * (0.5 + Math.random() / 2))
    timer.unref()
    delay = Math.min(delay * 2, lastDelayMs)
  }

  const tools = client.getServerCapabilities()?.tools
  if (tools?.listChanged === true) void listen(false)
  return {
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}
