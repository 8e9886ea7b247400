import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { sampleOf } from '../sample.ts'
import type { MockResponse } from './operations.ts'
import { createReader, notUnderstood, type Understood } from './understand.ts'

/** A request, and the value that was answered before it was written. */
export interface MockRequest extends Understood {
  readonly answered: unknown
}

/** A server that is made of a document: it checks each request against its operation and answers by the response schema. */
export interface MockServer {
  readonly address: string
  /** The requests since it was last asked. */
  take(): readonly MockRequest[]
  close(): Promise<void>
}

const base = '/base'

export async function startMock(root: unknown): Promise<MockServer> {
  const understand = createReader(root)
  let requests: MockRequest[] = []
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const content = Buffer.concat(await request.toArray())
    const target = (request.url ?? '').slice(base.length)
    const understood = await understand(request, target, content).catch((cause: unknown) =>
      notUnderstood(String(cause)),
    )
    const { answer, faults } = understood
    const answered = answer === undefined ? undefined : valueFor(answer, root)
    requests.push({ ...understood, answered })
    if (answer === undefined || faults.length > 0) response.writeHead(400).end(faults.join('\n'))
    else send(response, answer, answered)
  }
  const server = createServer((request, response) => void serve(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}${base}`,
    take: () => {
      const taken = requests
      requests = []
      return taken
    },
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function valueFor({ status, schema, mediaType = '' }: MockResponse, root: unknown): unknown {
  if (schema === undefined || status === 204) return undefined
  return isJson(mediaType) ? sampleOf({ $ref: schema }, root) : 'an answer'
}

function send(response: ServerResponse, { status, mediaType }: MockResponse, value: unknown): void {
  if (value === undefined || mediaType === undefined) {
    response.writeHead(status).end()
    return
  }
  response.writeHead(status, { 'content-type': mediaType })
  response.end(typeof value === 'string' && !isJson(mediaType) ? value : JSON.stringify(value))
}

function isJson(mediaType: string): boolean {
  return /[/+]json\b/.test(mediaType)
}
