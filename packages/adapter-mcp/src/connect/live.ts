import type { Client } from '@modelcontextprotocol/client'

import type { Callbacks } from '../callbacks/callbacks.ts'
import { Channel, type Frame } from '../channel/channel.ts'
import type { OwnTransport } from '../channel/own-transport.ts'
import type { JsonRecord } from '../record.ts'
import { abortable } from '../servers/abortable.ts'
import { ownClientInfo } from '../version.ts'
import { clientCapabilities, createClient } from './client.ts'
import {
  type Connection,
  type ConnectionEvents,
  type ConnectionReport,
  notify,
} from './connection.ts'
import { keepListening } from './listen.ts'
import { envelopeOf, negotiate, type Self } from './negotiate.ts'
import { type Answer, requestInRounds } from './rounds.ts'
import { subscribeByRequest, subscribeByStream, type SubscriptionStream } from './subscribe.ts'

/** What a connection over an own transport is made of. */
export interface LiveParts {
  readonly server: string
  /** How the client names itself; else as this package. */
  readonly clientInfo: { readonly name: string; readonly version: string } | undefined
  readonly callbacks: Callbacks
  readonly era: 'auto' | 'modern' | '2025'
  readonly probeMs: number
  readonly transport: OwnTransport & { close(withinMs?: number): Promise<void> }
  readonly events: ConnectionEvents
  readonly withinMs: () => number
  readonly debug: (message: string, fields: object) => void
  readonly frame?: Frame | undefined
  readonly remains: () => string
  readonly report?: () => ConnectionReport
}

/** Connects and shakes hands; rejects when that fails or `signal` fires, with the transport closed. */
export async function openConnection(parts: LiveParts, signal: AbortSignal): Promise<Connection> {
  const { transport, callbacks, server } = parts
  let open = false
  let client: Client | undefined
  const self = selfOf(parts)
  const modern = (): boolean => client?.getProtocolEra() === 'modern'

  const channel = new Channel(transport, {
    frame: parts.frame,
    envelope: () => (modern() ? envelopeOf(self) : undefined),
    notification: (method, params) => notify(parts.events, method, params),
    stray: (what) => parts.debug('mcp: dropped what belongs to no request', { server, what }),
    closed: () => {
      if (open) parts.events.lost()
    },
    perRequestStream: () => modern() && transport.hasPerRequestStream === true,
  })

  // In the modern era it is known which call asks, and no other waits for the answer.
  const answer: Answer = (method, params, given) =>
    channel.whileHumanAnswers((ended) => {
      const over = AbortSignal.any([ended, given])
      return answerUnless(over, method, callbacks.answer(server, method, params, over))
    }, !modern())
  client = createClient(self, callbacks, answer)
  const shaken = client
  Object.assign(shaken, {
    onerror: (error: Error) => parts.debug('mcp: connection', { server, error: error.message }),
  })
  const shake = async (): Promise<void> => {
    await transport.start()
    const prior = await negotiate(channel, parts.era, self, parts.probeMs, signal)
    await shaken.connect(channel.clientTransport, { prior, signal, timeout: 2 ** 30 })
  }
  try {
    await untilAborted(shake(), signal)
  } catch (error) {
    await transport.close(parts.withinMs()).catch(() => undefined)
    throw error
  }
  open = true
  const listening = modern() ? keepListening(shaken, parts.events, parts.debug) : undefined
  const ended = new AbortController()
  const stream = {
    client: shaken,
    ended: ended.signal,
    missed: (uri: string) => parts.events.resourceUpdated(uri),
  }
  return connectionOver({ ...parts, stream }, shaken, channel, answer, async (withinMs) => {
    open = false
    ended.abort()
    listening?.stop()
    await transport.close(withinMs)
  })
}

function connectionOver(
  {
    report = nothingToReport,
    remains,
    stream,
  }: LiveParts & { readonly stream: SubscriptionStream },
  client: Client,
  channel: Channel,
  answer: Answer,
  close: Connection['close'],
): Connection {
  const modern = client.getProtocolEra() === 'modern'
  return {
    era: modern ? 'modern' : 'legacy',
    info: client.getServerVersion() ?? {},
    instructions: client.getInstructions(),
    capabilities: (client.getServerCapabilities() ?? {}) as JsonRecord,
    request: (method, asked, options) =>
      modern
        ? requestInRounds(channel, answer, method, asked, options)
        : channel.request(method, asked, options),
    notify: async (method) => {
      if (!modern) await channel.notify(method)
    },
    subscribe: (uri, options) =>
      modern
        ? subscribeByStream(stream, uri, options)
        : subscribeByRequest((...request) => channel.request(...request), uri, options),
    close,
    received: () => channel.received,
    humanMs: () => channel.humanMs,
    report,
    remains,
  }
}

/** The answer, as long as it is wanted: a handler that does not give up then must not hold what comes later. */
async function answerUnless(
  over: AbortSignal,
  method: string,
  work: Promise<JsonRecord>,
): Promise<JsonRecord> {
  try {
    return await abortable(work, over)
  } catch (error) {
    if (over.aborted && method === 'elicitation/create') return { action: 'cancel' }
    throw error
  }
}

function nothingToReport(): ConnectionReport {
  return { noiseLines: 0, stderrTail: '' }
}

function selfOf({ clientInfo, callbacks }: LiveParts): Self {
  return {
    clientInfo: clientInfo ?? ownClientInfo(),
    capabilities: clientCapabilities(callbacks),
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
