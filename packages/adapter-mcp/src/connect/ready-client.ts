import type { RequestOptions } from '../channel/channel.ts'
import type { Fault } from '../channel/fault.ts'
import type { Limits } from '../channel/pending.ts'
import type { Reply } from '../channel/reply.ts'
import { isRecord, type JsonRecord } from '../record.ts'
import { messageOf } from '../text/message-of.ts'
import { type Connection, type ConnectionEvents, notify } from './connection.ts'
import { subscribeByRequest } from './subscribe.ts'

/** What is used of a client of the official SDK; both the 1.x and the 2.x class have it. */
export interface ReadyClient {
  request(request: never, schema: never, options?: never): Promise<unknown>
  getServerCapabilities(): unknown
  getServerVersion(): unknown
  getInstructions(): string | undefined
}

type RequestFunction = (request: object, schema: object, options: object) => Promise<unknown>

/** Takes any result: both as the Standard Schema that 2.x reads and as the parser that 1.x calls. */
const anything = {
  '~standard': {
    version: 1,
    vendor: 'callgate',
    validate: (value: unknown) => ({ value }),
  },
  parse: (value: unknown) => value,
  safeParse: (data: unknown) => ({ success: true, data }),
}

/** Uses a connected client that somebody else owns: it is neither started nor closed here. */
export function useReadyClient(client: ReadyClient, events: ConnectionEvents): Connection {
  const version = client.getServerVersion()
  const capabilities = client.getServerCapabilities()
  const call = client.request.bind(client) as unknown as RequestFunction
  const send: Connection['request'] = (method, params, options) =>
    request(call, method, params, options)
  const unwatch = watch(client, events)
  return {
    era: 'legacy',
    info: isRecord(version) ? version : {},
    instructions: client.getInstructions(),
    capabilities: isRecord(capabilities) ? capabilities : {},
    request: send,
    // Its owner speaks for it.
    notify: () => Promise.resolve(),
    subscribe: (uri, options) => subscribeByRequest(send, uri, options),
    close: () => Promise.resolve(unwatch()),
    received: () => 0,
    humanMs: () => 0,
    report: () => ({ noiseLines: 0, stderrTail: '' }),
    remains: () => '',
  }
}

async function request(
  send: RequestFunction,
  method: string,
  params: JsonRecord,
  options: RequestOptions,
): Promise<Reply> {
  if (options.signal?.aborted === true) return { fault: { kind: 'aborted', sent: false } }
  // The client would put the reason of the caller's signal on the wire, so it gets a signal of its own.
  const stop = new AbortController()
  let onAbort: (() => void) | undefined
  const aborted = new Promise<Reply>((resolve) => {
    onAbort = () => {
      stop.abort('cancelled by the client')
      resolve({ fault: { kind: 'aborted', sent: true } })
    }
    options.signal?.addEventListener('abort', onAbort, { once: true })
  })
  const answered = send({ method, params }, anything, {
    signal: stop.signal,
    timeout: options.idleMs,
    maxTotalTimeout: options.totalMs,
    resetTimeoutOnProgress: true,
    onprogress: (progress: unknown) => {
      if (isRecord(progress)) options.onProgress?.(progress)
    },
  }).then(
    (result): Reply => ({ result }),
    (error: unknown): Reply => ({ fault: faultOfClient(error, options) }),
  )
  try {
    return await Promise.race([answered, aborted])
  } finally {
    if (onAbort !== undefined) options.signal?.removeEventListener('abort', onAbort)
  }
}

/** What an error of the client library means. By code and name: the classes of the two lines have nothing else in common. */
export function faultOfClient(error: unknown, limits: Limits): Fault {
  const message = messageOf(error)
  const { code, data } = Object(error) as { code?: unknown; data?: unknown }
  // Servers use the codes of 1.x for errors of their own, so its words count, too.
  const late = code === -32_001 && /timed out|timeout exceeded/i.test(message)
  const closed = code === -32_000 && /connection closed|request was cancelled/i.test(message)
  if (late || code === 'REQUEST_TIMEOUT') return timeoutFault(message, limits)
  if (message === 'Not connected' || code === 'NOT_CONNECTED') {
    return { kind: 'unsent', reason: 'the given client is not connected' }
  }
  if (typeof code === 'number' && !closed) {
    return { kind: 'rpc', code, message, ...(data === undefined ? {} : { data }) }
  }
  return { kind: 'lost', reason: message, cause: error }
}

function timeoutFault(message: string, limits: Limits): Fault {
  return /total/i.test(message)
    ? { kind: 'timeout', limit: 'total', ms: limits.totalMs }
    : { kind: 'timeout', limit: 'idle', ms: limits.idleMs }
}

/** Listens for changed tools where nobody else does: a handler that is there stays. Gives back how to end that. */
function watch(client: ReadyClient, events: ConnectionEvents): () => void {
  const host = client as ReadyClient & {
    fallbackNotificationHandler?:
      | ((notification: { readonly method: string; readonly params?: unknown }) => Promise<void>)
      | undefined
  }
  const before = host.fallbackNotificationHandler
  let watching = true
  const mine: NonNullable<typeof before> = async (notification) => {
    const { method, params } = notification
    if (watching) notify(events, method, isRecord(params) ? params : {})
    await before?.(notification)
  }
  host.fallbackNotificationHandler = mine
  return () => {
    watching = false
    // One that was put over it since knows it, and stays.
    if (host.fallbackNotificationHandler === mine) host.fallbackNotificationHandler = before
  }
}
