// The MCP adapter, alone and inside a gateway with hooks, beside the plain client of the official SDK, against the same
// hand-written servers, in turns.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'

import { mcpAdapter, type McpServer } from '@callgate/adapter-mcp'
import { createGateway } from '@callgate/core'
import { createHookBus } from '@callgate/hooks'
import type {
  AdapterHost,
  AdapterInstance,
  CallgateEvents,
  InvokeContext,
  ToolDefinition,
} from '@callgate/spec'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const answers = `
const answer = ({ id, method, params }) => {
  const result = method === 'initialize'
    ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'raw', version: '1' } }
    : method === 'tools/list'
      ? { tools: [{ name: 'echo', inputSchema: { type: 'object', properties: { bytes: { type: 'integer' } } } }] }
      : { content: [{ type: 'text', text: params.arguments?.bytes ? 'x'.repeat(params.arguments.bytes) : 'hello world' }] }
  return JSON.stringify({ jsonrpc: '2.0', id, result })
}`

const stdioSource = `${answers}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line)
  if (message.id !== undefined && message.method) process.stdout.write(answer(message) + '\\n')
}).on('close', () => process.exit())`

const stubbornSource = `${stdioSource.replace('process.exit()', '0')}
process.on('SIGTERM', () => 0)
setInterval(() => 0, 1000)`

const httpSource = `${answers}
require('node:http').createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk)).on('end', () => {
    if (request.method !== 'POST') return response.writeHead(405).end()
    const message = JSON.parse(Buffer.concat(chunks))
    if (message.id === undefined) return response.writeHead(202).end()
    const body = answer(message)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
}).listen(0, '127.0.0.1', function () { process.send(this.address().port) })`

const nothing = (): void => undefined
const host: AdapterHost = {
  log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  validator: () => () => [],
  secret: (name) => name,
  toolsChanged: nothing,
}
const context: InvokeContext = {
  signal: new AbortController().signal,
  log: host.log,
  progress: nothing,
  blob: () => {
    throw new Error('no blob is expected')
  },
}

const stdioServer = (source: string): McpServer => ({
  command: process.execPath,
  args: ['-e', source],
})

/** One way of making the same call. */
interface Contender {
  readonly name: string
  readonly call: (bytes?: number) => Promise<unknown>
  readonly close: () => Promise<unknown>
}

async function plain(name: string, transport: Transport): Promise<Contender> {
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(transport)
  return {
    name,
    call: (bytes) =>
      client.callTool({ name: 'echo', arguments: bytes === undefined ? {} : { bytes } }),
    close: () => client.close(),
  }
}

async function adapted(name: string, server: McpServer): Promise<Contender> {
  const { instance, tool } = await started({ s: server })
  return {
    name,
    call: (bytes) => invoke(instance, tool, bytes === undefined ? {} : { bytes }),
    close: () => stopped(instance),
  }
}

/** Everything that a call goes through: coercion, validation, policy, two hooks, shaping of the result. */
async function whole(name: string, server: McpServer): Promise<Contender> {
  const hooks = createHookBus<CallgateEvents>()
  hooks.on('pre_tool_call', () => ({ action: 'allow' }))
  hooks.on('post_tool_call', nothing)
  const gateway = createGateway({ adapters: [mcpAdapter({ servers: { s: server } })], hooks })
  await gateway.start()
  return {
    name,
    call: async (bytes) => {
      const args = bytes === undefined ? {} : { bytes }
      const result = await gateway.dispatch({ name: 'mcp::s::echo', arguments: args })
      if (result.status !== 'ok') throw new Error(result.error?.message)
    },
    close: () => gateway.close(),
  }
}

async function started(
  servers: Record<string, McpServer>,
): Promise<{ instance: AdapterInstance; tool: ToolDefinition }> {
  const instance = mcpAdapter({ servers, startConcurrency: 10, startWaitMs: 20_000 }).create(host)
  await instance.start?.(context.signal)
  const [tool] = (await instance.discover?.(context.signal)) ?? []
  return { instance, tool: tool as ToolDefinition }
}

async function stopped(instance: AdapterInstance): Promise<void> {
  await instance.stop?.({ graceMs: 500 })
}

function invoke(instance: AdapterInstance, tool: ToolDefinition, args: object): Promise<unknown> {
  return instance.invoke(
    { callId: 'c', idempotencyKey: 'c', attempt: 1, tool, arguments: { ...args } },
    context,
  )
}

interface Figures {
  /** Median of one call after the other. */
  p50Us: number
  cpuUs: number
  perSecond: number
}

/** One after the other, and 32 at a time; the best of the rounds, in turns. */
async function compare(
  contenders: readonly Contender[],
  calls: number,
): Promise<readonly Figures[]> {
  const best = contenders.map(() => ({ p50Us: Infinity, cpuUs: Infinity, perSecond: 0 }))
  for (let round = -1; round < 5; round += 1) {
    for (const [index, { call }] of contenders.entries()) {
      const seen = await measureOnce(call, calls)
      if (round < 0) continue
      const figures = best[index]!
      figures.p50Us = Math.min(figures.p50Us, seen.p50Us)
      figures.cpuUs = Math.min(figures.cpuUs, seen.cpuUs)
      figures.perSecond = Math.max(figures.perSecond, seen.perSecond)
    }
  }
  return best
}

async function measureOnce(call: () => Promise<unknown>, calls: number): Promise<Figures> {
  const times: number[] = []
  for (let done = 0; done < calls; done += 1) {
    const start = performance.now()
    await call()
    times.push((performance.now() - start) * 1000)
  }
  const p50Us = times.toSorted((a, b) => a - b)[Math.floor(calls / 2)]!
  const cpu = process.cpuUsage()
  const second = performance.now()
  let left = calls * 2
  const worker = async (): Promise<void> => {
    for (; left > 0; left -= 1) await call()
  }
  await Promise.all(Array.from({ length: 32 }, worker))
  const { user, system } = process.cpuUsage(cpu)
  const seconds = (performance.now() - second) / 1000
  return { p50Us, cpuUs: (user + system) / (calls * 2), perSecond: (calls * 2) / seconds }
}

function print(title: string, contenders: readonly Contender[], figures: readonly Figures[]): void {
  console.log(`\n${title}`)
  const floor = figures[0]!
  for (const [index, { p50Us, cpuUs, perSecond }] of figures.entries()) {
    const columns = [
      `p50 ${p50Us.toFixed(0).padStart(5)} µs (${(p50Us / floor.p50Us).toFixed(2)} ×)`,
      `CPU ${cpuUs.toFixed(0).padStart(5)} µs (${signed(cpuUs - floor.cpuUs)})`,
      `32 in flight ${perSecond.toFixed(0).padStart(6)}/s (${(perSecond / floor.perSecond).toFixed(2)} ×)`,
    ]
    console.log(`  ${contenders[index]!.name.padEnd(10)} ${columns.join('  ')}`)
  }
}

function signed(us: number): string {
  return `${us < 0 ? '−' : '+'}${Math.abs(us).toFixed(0)}`
}

async function compareAndPrint(
  title: string,
  contenders: readonly Contender[],
  calls: number,
): Promise<void> {
  print(title, contenders, await compare(contenders, calls))
  await Promise.all(contenders.map(({ close }) => close()))
}

async function overHttp(): Promise<void> {
  const child = spawn(process.execPath, ['-e', httpSource], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [port] = (await once(child, 'message')) as [number]
  const url = `http://127.0.0.1:${port}/mcp`
  try {
    const contenders = [
      await plain('plain SDK', new StreamableHTTPClientTransport(new URL(url))),
      await adapted('adapter', { url, era: '2025' }),
      await whole('gateway', { url, era: '2025' }),
    ]
    await compareAndPrint('MCP over HTTP, one small call', contenders, 500)
  } finally {
    child.kill()
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

async function largeResult(): Promise<void> {
  const contender = await adapted('adapter', stdioServer(stdioSource))
  console.log('\nMCP over stdio, one large result')
  for (const mebibytes of [12, 24, 48]) {
    const ms = await timed(() => contender.call(mebibytes * 2 ** 20 - 1024))
    console.log(`  ${String(mebibytes).padStart(2)} MiB  ${ms.toFixed(0).padStart(5)} ms`)
  }
  await contender.close()
}

async function life(): Promise<void> {
  const many = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`s${index}`, stdioServer(stdioSource)]),
    )
  console.log('\nMCP servers as processes')
  for (const count of [1, 10]) {
    let instance: AdapterInstance | undefined
    const ms = await timed(async () => ({ instance } = await started(many(count))))
    console.log(`  ${String(count).padStart(2)} ready in ${ms.toFixed(0)} ms`)
    await stopped(instance!)
  }
  const { instance } = await started({ s: stdioServer(stubbornSource) })
  const ms = await timed(() => stopped(instance))
  console.log(`  one that ignores the end of its input and SIGTERM, ended in ${ms.toFixed(0)} ms`)
}

/** Prints the tables. */
export async function run(): Promise<void> {
  const contenders = [
    await plain(
      'plain SDK',
      new StdioClientTransport({ command: process.execPath, args: ['-e', stdioSource] }),
    ),
    await adapted('adapter', stdioServer(stdioSource)),
    await whole('gateway', stdioServer(stdioSource)),
  ]
  await compareAndPrint('MCP over stdio, one small call', contenders, 3000)
  await overHttp()
  await largeResult()
  await life()
}
