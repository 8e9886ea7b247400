import type { Client } from '@modelcontextprotocol/client'

import type { RequestOptions } from '../channel/channel.ts'
import type { Reply } from '../channel/reply.ts'
import { faultError } from '../http/status.ts'
import type { JsonRecord } from '../record.ts'
import { pause } from '../servers/pause.ts'

type Send = (method: string, params: JsonRecord, options: RequestOptions) => Promise<Reply>

/** By a request that a later one undoes: revisions before 2026-07-28. */
export async function subscribeByRequest(
  send: Send,
  uri: string,
  options: RequestOptions,
): Promise<() => Promise<void>> {
  const reply = await send('resources/subscribe', { uri }, options)
  if ('fault' in reply) throw faultError(reply.fault)
  return async () => {
    // Without the caller's signal, which may have fired by then.
    const { idleMs, totalMs, humanMs } = options
    await send('resources/unsubscribe', { uri }, { idleMs, totalMs, humanMs })
  }
}

/** How a stream of subscriptions is opened, and what follows from it. */
export interface SubscriptionStream {
  readonly client: Pick<Client, 'listen'>
  /** Fires with the end of the connection. */
  readonly ended: AbortSignal
  /** The resource may have changed while no stream was open. */
  missed(uri: string): void
}

const firstDelayMs = 1000
const lastDelayMs = 60_000
/** A server that ends each stream at once is asked ever more rarely. */
const stableMs = 10_000

/** By a stream that stays open; one that ends by itself, as many do that pass a proxy, is opened again. */
export async function subscribeByStream(
  { client, ended, missed }: SubscriptionStream,
  uri: string,
  options: RequestOptions,
): Promise<() => Promise<void>> {
  const open = (signal: AbortSignal): ReturnType<Client['listen']> =>
    client.listen({ resourceSubscriptions: [uri] }, { timeout: options.idleMs, signal })
  const stop = new AbortController()
  const over = AbortSignal.any([ended, stop.signal])
  let subscription = await openWithin(open, options.signal)

  async function keepOpen(): Promise<void> {
    let delay = firstDelayMs
    let since = performance.now()
    let closed = await subscription.closed
    while (closed !== 'local' && !over.aborted) {
      // oxlint-disable-next-line no-await-in-loop -- one stream after the other
      await pause(delay * (0.5 + Math.random() / 2), over)
      delay = Math.min(delay * 2, lastDelayMs)
      if (performance.now() - since > stableMs) delay = firstDelayMs
      // oxlint-disable-next-line no-await-in-loop -- as above
      const opened = await open(over).catch(() => undefined)
      if (opened === undefined) continue
      subscription = opened
      if (over.aborted) break
      since = performance.now()
      missed(uri)
      // oxlint-disable-next-line no-await-in-loop -- as above
      closed = await subscription.closed
    }
    if (stop.signal.aborted) await subscription.close()
  }

  // It ends with the pause in which it is stopped.
  keepOpen().catch(() => undefined)
  return async () => {
    stop.abort()
    await subscription.close()
  }
}

/** The caller's signal is about the opening alone: the client would end the stream with it. */
async function openWithin<T>(
  open: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const given = new AbortController()
  const onAbort = (): void => given.abort(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    return await open(given.signal)
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}
