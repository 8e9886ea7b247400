import { createServer } from 'node:http'

import { httpAdapter } from '@callgate/adapter-http'
import { createGateway } from '@callgate/core'

// The API of this example shows what it was sent.
const server = createServer((request, response) => {
  response.end(`${request.method} ${request.url} ${String(request.headers['x-api-key'])}`)
}).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const { port } = server.address() as { port: number }

const gateway = createGateway({
  adapters: [httpAdapter({ allow: ['127.0.0.1'] })],
  secrets: (name) => (name === 'WEATHER_KEY' ? 'key-0123456789' : undefined),
  tools: [
    {
      namespace: 'http::weather',
      name: 'forecast',
      description: 'Gives the forecast for a city.',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' }, days: { type: 'integer' } },
        required: ['city'],
      },
      effects: { readOnly: true },
      backend: {
        adapter: 'http',
        url: `http://127.0.0.1:${port}/cities/{city}/forecast`,
        query: { days: '{days}', units: 'metric' },
        auth: { type: 'apiKey', in: 'header', name: 'X-Api-Key', value: '{env:WEATHER_KEY}' },
      },
    },
  ],
})
await gateway.start()

const { data } = await gateway.dispatch({
  id: 'call-1',
  name: 'http::weather::forecast',
  arguments: { city: 'São Paulo/Centro', days: 3 },
})
console.log(data)
await gateway.close()
server.close()
