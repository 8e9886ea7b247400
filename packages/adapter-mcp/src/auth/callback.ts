import { createServer, type Server } from 'node:http'

/** What the browser brings back. */
export interface CallbackAnswer {
  readonly code: string
  readonly iss: string | undefined
}

const waitMs = 10 * 60_000

/** Waits for the browser at the redirect address, on this machine only, for one answer that carries the state. */
export interface Callback {
  readonly answer: Promise<CallbackAnswer>
  close(): void
}

/** Listens before the page is shown, so that no answer is missed. Rejects when the port is taken. */
export async function listenForCallback(redirect: URL, state: string): Promise<Callback> {
  let settle: ((answer: CallbackAnswer) => void) | undefined
  let fail: ((error: Error) => void) | undefined
  const answer = new Promise<CallbackAnswer>((resolve, reject) => {
    settle = resolve
    fail = reject
  })
  // Nobody may be waiting any more when it fails.
  answer.catch(() => undefined)

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', redirect)
    if (url.pathname !== redirect.pathname || url.searchParams.get('state') !== state) {
      response.writeHead(404).end()
      return
    }
    const code = url.searchParams.get('code')
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
    response.end('You can close this window and go back.\n')
    if (code === null) {
      fail?.(new Error(`the authorization was refused: ${errorOf(url)}`))
    } else {
      settle?.({ code, iss: url.searchParams.get('iss') ?? undefined })
    }
  })
  await listen(server, redirect)
  const timer = setTimeout(() => fail?.(new Error('nobody authorized in time')), waitMs)
  timer.unref()
  return {
    answer,
    close: () => {
      clearTimeout(timer)
      fail?.(new Error('the authorization was given up'))
      server.close()
    },
  }
}

function listen(server: Server, redirect: URL): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(Number(redirect.port || 80), redirect.hostname.replace(/^\[|\]$/g, ''), () => {
      // A host that is done need not wait for the user.
      server.unref()
      resolve()
    })
  })
}

/** The code of an error, as RFC 6749 has it; its free text is not repeated. */
function errorOf(url: URL): string {
  const error = url.searchParams.get('error') ?? ''
  return /^[a-z_]{1,40}$/.test(error) ? error : 'no code'
}
