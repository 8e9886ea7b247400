import { createServer } from 'node:http'

import { httpAdapter } from '@callgate/adapter-http'
import { createGateway } from '@callgate/core'

// The API of this example: it knows ticket 7.
const server = createServer((request, response) => {
  const found = request.url === '/v1/tickets/7'
  response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' })
  response.end(JSON.stringify(found ? { id: 7, title: 'Printer' } : { message: 'no such ticket' }))
}).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const { port } = server.address() as { port: number }

const gateway = createGateway({
  adapters: [
    httpAdapter({
      documents: [
        {
          name: 'tickets',
          // Or the path of a JSON or YAML file.
          document: {
            openapi: '3.1.0',
            paths: {
              '/tickets/{id}': {
                get: {
                  operationId: 'read',
                  summary: 'Reads a ticket.',
                  parameters: [
                    { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
                  ],
                },
              },
            },
          },
          server: `http://127.0.0.1:${port}/v1`,
        },
      ],
      // Addresses that are not public have to be allowed.
      allow: ['127.0.0.1'],
    }),
  ],
})
await gateway.start()

for (const id of ['7', '8', '..']) {
  const call = { id, name: 'http::tickets::read', arguments: { id } }
  const { status, data, error } = await gateway.dispatch(call)
  console.log(id, status, status === 'ok' ? data : (error?.rule ?? error?.message))
}
await gateway.close()
server.close()
