import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

import { CallgateError } from '@callgate/spec'

interface Ticket {
  readonly id: number
  readonly title: string
  readonly labels: readonly string[]
  readonly urgent: boolean
  readonly status: 'open' | 'closed'
}

export interface TicketService {
  readonly url: string
  /** How many tickets there are now. */
  count(): number
  stop(): Promise<void>
}

interface Answer {
  readonly status: number
  readonly body?: unknown
}

/**
 * Starts a small ticket service on loopback; `port` 0 takes any free one.
 *
 * @throws CallgateError `backend_unavailable` when the port is in use.
 */
export async function startTicketService(port: number): Promise<TicketService> {
  const tickets = new Map<number, Ticket>([
    [1, { id: 1, title: 'The build is slow', labels: ['ci'], urgent: false, status: 'open' }],
    [2, { id: 2, title: 'Typo on the first page', labels: [], urgent: false, status: 'closed' }],
  ])
  const server = createServer((request, response) => {
    void safely(request, tickets).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(body === undefined ? undefined : JSON.stringify(body))
    })
  })
  await listen(server, port)
  const { port: chosen } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${chosen}`,
    count: () => tickets.size,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new CallgateError({
          code: 'backend_unavailable',
          rule: 'port',
          where: `127.0.0.1:${port}`,
          message: `The ticket service cannot listen on port ${port}: ${cause.message}.`,
          hint: 'Give another port with --port, or leave it out to take any free one.',
          cause,
        }),
      ),
    )
    server.listen(port, '127.0.0.1', resolve)
  })
}

/** Whatever is sent, and by whom: no request ends the program. */
async function safely(request: IncomingMessage, tickets: Map<number, Ticket>): Promise<Answer> {
  if (!isLocal(request)) return { status: 403, body: { error: 'not for other sites' } }
  try {
    return await answer(request, tickets)
  } catch {
    return { status: 400, body: { error: 'the request cannot be read' } }
  }
}

/** A page of another site names itself, or comes by a name of its own that leads to loopback. */
function isLocal({ headers }: IncomingMessage): boolean {
  return (
    headers.origin === undefined &&
    /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/i.test(headers.host ?? '')
  )
}

async function answer(request: IncomingMessage, tickets: Map<number, Ticket>): Promise<Answer> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1')
  const [, root, id] = url.pathname.split('/')
  if (root !== 'tickets') return { status: 404, body: { error: 'no such path' } }
  if (request.method === 'GET' && id === undefined)
    return { status: 200, body: list(tickets, url.searchParams) }
  if (request.method === 'POST' && id === undefined) return create(tickets, await text(request))
  if (request.method === 'DELETE' && id !== undefined) {
    return tickets.delete(Number(id))
      ? { status: 204 }
      : { status: 404, body: { error: 'no such ticket' } }
  }
  return { status: 405, body: { error: 'no such operation' } }
}

function list(tickets: ReadonlyMap<number, Ticket>, query: URLSearchParams): readonly Ticket[] {
  const status = query.get('filter[status]')
  const limit = Number(query.get('limit') ?? 100)
  return [...tickets.values()]
    .filter((ticket) => status === null || ticket.status === status)
    .toReversed()
    .slice(0, limit)
}

function create(tickets: Map<number, Ticket>, body: string): Answer {
  const { title, labels = [], urgent = false } = JSON.parse(body) as Partial<Ticket>
  if (typeof title !== 'string') return { status: 422, body: { error: 'title is missing' } }
  const ticket: Ticket = {
    id: Math.max(0, ...tickets.keys()) + 1,
    title,
    labels,
    urgent,
    status: 'open',
  }
  tickets.set(ticket.id, ticket)
  return { status: 201, body: ticket }
}
