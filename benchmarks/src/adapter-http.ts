import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

import { httpAdapter, loadOpenApi } from '@callgate/adapter-http'
import { createGateway, type Gateway } from '@callgate/core'
import type { AdapterHost, AdapterInstance, InvokeContext, ToolDefinition } from '@callgate/spec'
import { Agent, request } from 'undici'

/** One way of making the same request. */
interface Contender {
  readonly name: string
  readonly call: () => Promise<unknown>
}

/** Milliseconds per call: the median of the best round and of all calls, and calls per second of the best round. */
interface Row {
  readonly name: string
  readonly bestMs: number
  readonly allMs: number
  readonly perSecond: number
}

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

const host: AdapterHost = {
  log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  validator: () => () => [],
  secret: (name) => name,
  toolsChanged: nothing,
}

function nothing(): void {
  // The benchmark listens to nobody.
}

const context: InvokeContext = {
  signal: new AbortController().signal,
  log: host.log,
  progress: nothing,
  blob: () => {
    throw new Error('the answers are small')
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
  const adapter = httpAdapter(optionsFor(port)).create(host)
  const gateway = createGateway({ adapters: [httpAdapter(optionsFor(port))] })
  try {
    await gateway.start()
    const [tool] = (await adapter.discover?.(context.signal)) ?? []
    for (const id of ['small', 'large']) {
      for (const inFlight of [1, 8]) {
        const contenders = [
          bare(port, agent, id),
          throughAdapter(adapter, tool as ToolDefinition, id),
          throughGateway(gateway, id),
        ]
        // oxlint-disable-next-line no-await-in-loop -- measurements must not overlap
        print(
          `${id} answer, ${inFlight} in flight`,
          await measure(contenders, rounds, calls, inFlight),
        )
      }
    }
    measureLoading()
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
  return { name: 'adapter.invoke', call: () => instance.invoke(call, context) }
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

async function measure(
  contenders: readonly Contender[],
  rounds: number,
  calls: number,
  inFlight: number,
): Promise<readonly Row[]> {
  const taken = contenders.map((): { ms: number[]; perSecond: number }[] => [])
  for (let round = -1; round < rounds; round += 1) {
    for (const [index, { call }] of contenders.entries()) {
      // oxlint-disable-next-line no-await-in-loop -- one contender at a time
      const result = await oneRound(call, calls, inFlight)
      // The first round warms up.
      if (round >= 0) taken[index]?.push(result)
    }
  }
  return contenders.map(({ name }, index) => {
    const all = taken[index] ?? []
    return {
      name,
      bestMs: Math.min(...all.map(({ ms }) => median(ms))),
      allMs: median(all.flatMap(({ ms }) => ms)),
      perSecond: Math.max(...all.map(({ perSecond }) => perSecond)),
    }
  })
}

async function oneRound(
  call: () => Promise<unknown>,
  calls: number,
  inFlight: number,
): Promise<{ ms: number[]; perSecond: number }> {
  const ms: number[] = []
  let left = calls
  const began = performance.now()
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const start = performance.now()
      // oxlint-disable-next-line no-await-in-loop -- a lane has one call in flight
      await call()
      ms.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  return { ms, perSecond: (calls * 1000) / (performance.now() - began) }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function print(title: string, rows: readonly Row[]): void {
  const floor = rows[0]
  console.log(`\n${title}`)
  console.table(
    Object.fromEntries(
      rows.map(({ name, bestMs, allMs, perSecond }) => [
        name,
        {
          'best-round median ms': Number(bestMs.toFixed(3)),
          'over bare ms': Number((bestMs - (floor?.bestMs ?? 0)).toFixed(3)),
          'all rounds median ms': Number(allMs.toFixed(3)),
          'best per second': Math.round(perSecond),
        },
      ]),
    ),
  )
}

/** How long a document of 1,000 operations over 500 shared schemas takes to become tools. */
function measureLoading(): void {
  const schemas = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [
      `S${index}`,
      {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'x'.repeat(200) },
          next: { $ref: `#/components/schemas/S${index % 5 === 0 ? index : index - 1}` },
        },
      },
    ]),
  )
  const paths = Object.fromEntries(
    Array.from({ length: 1000 }, (_, index) => [
      `/r${index}/{id}`,
      {
        post: {
          requestBody: {
            content: {
              'application/json': { schema: { $ref: `#/components/schemas/S${index % 500}` } },
            },
          },
        },
      },
    ]),
  )
  const began = performance.now()
  const { tools } = loadOpenApi(
    { openapi: '3.1.0', paths, components: { schemas } },
    { name: 'big', server: 'https://api.example.com' },
  )
  console.log(
    `\nloadOpenApi: ${tools.length} operations in ${(performance.now() - began).toFixed(0)} ms`,
  )
}

async function end(server: ChildProcess): Promise<void> {
  const closed = once(server, 'exit')
  server.kill()
  await closed
}
