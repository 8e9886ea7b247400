import type { Client } from '@modelcontextprotocol/client'

import type { RequestOptions } from '../channel/channel.ts'
import type { Reply } from '../channel/reply.ts'
import { faultError } from '../http/status.ts'
import type { JsonRecord } from '../record.ts'

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

/** By a stream that stays open. */
export async function subscribeByStream(
  client: Client,
  uri: string,
  options: RequestOptions,
): Promise<() => Promise<void>> {
  const subscription = await client.listen(
    { resourceSubscriptions: [uri] },
    { timeout: options.idleMs },
  )
  return () => subscription.close()
}
