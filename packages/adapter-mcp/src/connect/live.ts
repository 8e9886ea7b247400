import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Client,
  PROTOCOL_VERSION_META_KEY,
  type Transport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'

import type { Callbacks } from '../callbacks/callbacks.ts'
import { withInputRequired } from '../callbacks/input-required.ts'
import { type Channel, createChannel, type Reply, type RequestOptions } from '../channel/channel.ts'
import type { JsonRecord } from '../record.ts'
import { clientCapabilities, createClient } from './client.ts'
import type { Connection, ConnectionEvents } from './connection.ts'
import { keepListening } from './listen.ts'

/** What a connection over an own transport is made of. */
export interface LiveParts {
  readonly server: string
  readonly clientInfo: { readonly name: string; readonly version: string }
  readonly callbacks: Callbacks
  readonly mode: VersionNegotiationMode
  readonly probeMs: number
  readonly transport: Transport
  readonly events: ConnectionEvents
  debug(message: string, fields: object): void
  remains(): string
  /** Said before the transport is closed: the end of a session. */
  farewell?(): Promise<void>
  /** Gives the transport the means to settle a request whose answer it had to drop. */
  onChannel?(channel: Channel): void
}

/** Connects and shakes hands; rejects when that fails or `signal` fires, with the transport closed. */
export async function openConnection(parts: LiveParts, signal: AbortSignal): Promise<Connection> {
  const { transport, callbacks, server } = parts
  let open = false
  let client: Client | undefined
  const capabilities = clientCapabilities(callbacks)
  const modern = (): boolean => client?.getProtocolEra() === 'modern'

  const channel = createChannel(
    transport,
    {
      envelope: () =>
        modern()
          ? {
              [PROTOCOL_VERSION_META_KEY]: client?.getNegotiatedProtocolVersion(),
              [CLIENT_INFO_META_KEY]: parts.clientInfo,
              [CLIENT_CAPABILITIES_META_KEY]: capabilities,
            }
          : undefined,
      notification: (method) => {
        if (method === 'notifications/tools/list_changed') parts.events.toolsChanged()
      },
      stray: (what) => parts.debug('mcp: dropped what belongs to no request', { server, what }),
      closed: () => {
        if (open) parts.events.lost()
      },
    },
    () => modern() && transport.hasPerRequestStream === true,
  )
  parts.onChannel?.(channel)

  const answer = (method: string, params: JsonRecord, given?: AbortSignal): Promise<JsonRecord> =>
    channel.whileHumanAnswers((ended) =>
      callbacks.answer(
        server,
        method,
        params,
        given === undefined ? ended : AbortSignal.any([ended, given]),
      ),
    )
  client = createClient(parts.clientInfo, parts.mode, parts.probeMs, callbacks, answer)
  client.onerror = (error) => parts.debug('mcp: connection', { server, error: error.message })
  const shaken = client
  try {
    await untilAborted(
      shaken.connect(channel.clientTransport, { signal, timeout: 2 ** 30 }),
      signal,
    )
  } catch (error) {
    await transport.close().catch(() => undefined)
    throw error
  }
  open = true
  const listening = modern() ? keepListening(shaken, parts.events, parts.debug) : undefined

  const request = (method: string, params: JsonRecord, options: RequestOptions): Promise<Reply> => {
    const send = (round: JsonRecord): Promise<Reply> => channel.request(method, round, options)
    return modern()
      ? withInputRequired(params, send, (asked, about) => settled(answer, asked, about))
      : send(params)
  }

  return {
    era: modern() ? 'modern' : 'legacy',
    info: shaken.getServerVersion() ?? {},
    instructions: shaken.getInstructions(),
    capabilities: (shaken.getServerCapabilities() ?? {}) as JsonRecord,
    request,
    close: async () => {
      open = false
      listening?.stop()
      await parts.farewell?.()
      await transport.close()
    },
    remains: parts.remains,
  }
}

/** A question nobody can answer is declined, so that the call can end with what the server makes of it. */
async function settled(
  answer: (method: string, params: JsonRecord) => Promise<JsonRecord>,
  method: string,
  params: JsonRecord,
): Promise<JsonRecord> {
  try {
    return await answer(method, params)
  } catch {
    return { action: 'decline' }
  }
}

/** The client library looks at its signal only while a request is open, a transport may hang before that. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
