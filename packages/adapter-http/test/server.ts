import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as a test server saw it. */
export interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** A server on loopback and what it saw. */
export interface TestServer {
  readonly origin: string
  readonly port: number
  readonly seen: SeenRequest[]
  readonly last: () => SeenRequest
  readonly connections: () => number
  readonly close: () => Promise<void>
}

export type Answerer = (request: SeenRequest, response: ServerResponse) => void | Promise<void>

/** Starts a server that answers by `answer`, default: 200 with a small JSON body. */
export async function startServer(
  answer: Answerer = (_, response) => json(response, { ok: true }),
): Promise<TestServer> {
  const seen: SeenRequest[] = []
  let connections = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const record = { method, url, headers, body: Buffer.concat(chunks) }
      seen.push(record)
      void answer(record, response)
    })
  })
  server.on('connection', () => {
    connections += 1
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    seen,
    last: () => {
      const request = seen.at(-1)
      if (!request) throw new Error('the server saw no request')
      return request
    },
    connections: () => connections,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
