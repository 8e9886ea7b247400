import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { httpAdapter } from '@callgate/adapter-http'
import { createGateway, type Gateway } from '@callgate/core'
import type { AdapterInstance, ToolDefinition } from '@callgate/spec'
import { documentSources, findDocument } from '@callgate/tests/documents'
import { Agent, request } from 'undici'

import { measure, printTable } from './measure.ts'
import { compareLatency, type Contender } from './parts/latency.ts'
import { declaredTool, refusedCall, thrownError } from './parts/refused-call.ts'
import { silentContext, silentHost } from './parts/silent-host.ts'

// The server stands in another process, so that its work does not count.
const serverSource = `
const small = JSON.stringify({ id: 7, title: 'x'.repeat(170) })
const large = JSON.stringify({ rows: Array.from({ length: 1000 }, (_, id) => ({ id, title: 'x'.repeat(80) })) })
require('node:http').createServer((request, response) => {
  const body = request.url.includes('large') ? large : small
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  response.end(body)
}).listen(0, '127.0.0.1', function () { process.send(this.address().port) })`

const document = {
  openapi: '3.1.0',
  paths: {
    '/tickets/{id}': {
      get: {
        operationId: 'read',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'fields', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
        ],
      },
    },
  },
}

/**
 * Measures what an HTTP tool costs over bare `undici.request` with a parsed body, in the same run and in turns: the
 * adapter alone, and the whole pipeline of the gateway. Prints a table for each size of the answer and number in flight.
 */
export async function run(): Promise<void> {
  const rounds = process.env['CI'] ? 15 : 5
  const calls = process.env['CI'] ? 2000 : 500
  const server = spawn(process.execPath, ['-e', serverSource], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [port] = (await once(server, 'message')) as [number]
  const agent = new Agent({ connections: 16, pipelining: 1 })
  const adapter = httpAdapter(optionsFor(port)).create(silentHost)
  const gateway = createGateway({ adapters: [httpAdapter(optionsFor(port))] })
  try {
    await gateway.start()
    const [tool] = (await adapter.discover?.(silentContext.signal)) ?? []
    for (const id of ['small', 'large']) {
      for (const inFlight of [1, 8]) {
        const contenders = [
          bare(port, agent, id),
          throughAdapter(adapter, tool as ToolDefinition, id),
          throughGateway(gateway, id),
        ]
        // oxlint-disable-next-line no-await-in-loop -- measurements must not overlap
        await compareLatency(`${id} answer`, contenders, { rounds, calls, inFlight })
      }
    }
    await measureChecks()
    await measureLoading()
  } finally {
    await gateway.close()
    await adapter.stop?.({ graceMs: 0 })
    await agent.destroy()
    await end(server)
  }
}

function optionsFor(port: number): Parameters<typeof httpAdapter>[0] {
  return {
    documents: [{ name: 'tickets', document, server: `http://127.0.0.1:${port}` }],
    allow: ['127.0.0.1'],
  }
}

function bare(port: number, dispatcher: Agent, id: string): Contender {
  const url = `http://127.0.0.1:${port}/tickets/${id}?fields=a&fields=b`
  return {
    name: 'undici.request + json',
    call: async () => {
      const { body } = await request(url, { dispatcher })
      return body.json()
    },
  }
}

function throughAdapter(instance: AdapterInstance, tool: ToolDefinition, id: string): Contender {
  const call = {
    callId: 'c',
    tool,
    arguments: { id, fields: ['a', 'b'] },
    idempotencyKey: 'c',
    attempt: 1,
  }
  return { name: 'adapter.invoke', call: () => instance.invoke(call, silentContext) }
}

function throughGateway(gateway: Gateway, id: string): Contender {
  let count = 0
  return {
    name: 'gateway.dispatch',
    call: async () => {
      count += 1
      const result = await gateway.dispatch({
        id: `call-${count}`,
        name: 'http::tickets::read',
        arguments: { id, fields: ['a', 'b'] },
      })
      if (result.status !== 'ok') throw new Error(result.error?.message)
      return result
    },
  }
}

/** What judging an address and filling a request cost. */
async function measureChecks(): Promise<void> {
  const instance = httpAdapter({}).create(silentHost)
  const fetchTool = declaredTool({ adapter: 'http', url: '{url}' }, ['url'])
  const url = 'http://192.0.2.1/{id}'
  const readTool = declaredTool({ adapter: 'http', url, query: { q: '{q}' } }, ['q', 'id'])
  const values = { q: 'a b&c', id: '..' }
  const rows = await measure([
    thrownError,
    refusedCall('an address, its port refused', instance, fetchTool, {
      url: 'http://192.0.2.1:6379/x?a=b',
    }),
    refusedCall('query and path, the path refused', instance, readTool, values),
  ])
  printTable('Checks of arguments and addresses, one call', rows)
}

/** How long real documents take to become tools, each in a process of its own, and what that holds at most. */
async function measureLoading(): Promise<void> {
  const source = import.meta.resolve('@callgate/adapter-http')
  const built = new URL('../dist/index.js', source)
  const entry = existsSync(built) ? built.href : source
  console.log(`\nOpenAPI documents to tools, ${entry === source ? 'sources' : 'built package'}`)
  for (const known of documentSources) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const found = await findDocument(known)
    const figures =
      found.path === undefined ? `not measured: ${found.missing}` : loadingOf(entry, found.path)
    console.log(`  ${known.name.padEnd(18)} ${figures}`)
  }
}

function loadingOf(entry: string, path: string): string {
  const script = fileURLToPath(new URL('parts/load-document.ts', import.meta.url))
  const runs = Array.from({ length: 3 }, () => {
    const args = ['--conditions=@callgate/source', script, entry, path]
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as {
      readonly tools: number
      readonly ms: number
      readonly kilobytes: number
    }
  })
  const ms = Math.min(...runs.map((figures) => figures.ms)).toFixed(0)
  const megabytes = Math.max(...runs.map(({ kilobytes }) => kilobytes / 1024)).toFixed(0)
  return `${runs[0]?.tools} tools in ${ms} ms, the process at most ${megabytes} MiB`
}

async function end(server: ChildProcess): Promise<void> {
  const closed = once(server, 'exit')
  server.kill()
  await closed
}
