import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

/** What the browser brings back. */
export interface CallbackAnswer {
  readonly code: string
  readonly iss: string | undefined
}

/** Waits for the browser to come back with one state. */
export interface Callback {
  readonly answer: Promise<CallbackAnswer>
  close(): void
}

interface Waiting {
  settle(answer: CallbackAnswer): void
  fail(error: Error): void
}

/** One listener for all authorizations that share an address; the state tells them apart. */
interface Listener {
  readonly server: Server
  readonly waiting: Map<string, Waiting>
  readonly listening: Promise<void>
}

const waitMs = 10 * 60_000
const listeners = new Map<string, Listener>()

/**
 * Waits at the redirect address, on this machine only, for an answer that carries the state. Listens before the page
 * is shown, so that no answer is missed.
 *
 * @throws Error when another program has the port.
 */
export async function listenForCallback(redirect: URL, state: string): Promise<Callback> {
  const listener = listeners.get(redirect.href) ?? listen(redirect)
  let timer: NodeJS.Timeout | undefined
  const answer = new Promise<CallbackAnswer>((resolve, reject) => {
    listener.waiting.set(state, { settle: resolve, fail: reject })
    timer = setTimeout(() => reject(new Error('nobody authorized in time')), waitMs)
    timer.unref()
  })
  // Nobody may be waiting any more when it fails.
  answer.catch(() => undefined)
  const close = (): void => {
    clearTimeout(timer)
    listener.waiting.get(state)?.fail(new Error('the authorization was given up'))
    listener.waiting.delete(state)
    if (listener.waiting.size === 0) end(redirect, listener)
  }
  try {
    await listener.listening
  } catch (error) {
    close()
    throw error
  }
  return { answer, close }
}

function listen(redirect: URL): Listener {
  const waiting = new Map<string, Waiting>()
  const server = createServer((request, response) =>
    answerBrowser(redirect, waiting, request, response),
  )
  const listening = new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(Number(redirect.port || 80), redirect.hostname.replace(/^\[|\]$/g, ''), resolve)
  })
  // A host that is done need not wait for a user.
  server.unref()
  const listener = { server, waiting, listening }
  listeners.set(redirect.href, listener)
  return listener
}

function end(redirect: URL, listener: Listener): void {
  if (listeners.get(redirect.href) === listener) listeners.delete(redirect.href)
  listener.server.close()
}

function answerBrowser(
  redirect: URL,
  waiting: ReadonlyMap<string, Waiting>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  // Anybody on this machine, and any page, can ask for what is no address.
  const url = URL.parse(request.url ?? '/', redirect)
  const found = waiting.get(url?.searchParams.get('state') ?? '')
  if (url?.pathname !== redirect.pathname || found === undefined) {
    response.writeHead(404).end()
    return
  }
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
  response.end('You can close this window and go back.\n')
  const code = url.searchParams.get('code')
  if (code === null) found.fail(new Error(`the authorization was refused: ${errorOf(url)}`))
  else found.settle({ code, iss: url.searchParams.get('iss') ?? undefined })
}

/** The code of an error, as RFC 6749 has it; its free text is not repeated. */
function errorOf(url: URL): string {
  const error = url.searchParams.get('error') ?? ''
  return /^[a-z_]{1,40}$/.test(error) ? error : 'no code'
}
