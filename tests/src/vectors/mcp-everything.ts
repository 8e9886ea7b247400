import {
  mcpAdapter,
  type ElicitationAnswer,
  type McpAdapter,
  type McpServer,
} from '@callgate/adapter-mcp'
import { createGateway, type Gateway } from '@callgate/core'
import { type AdapterInstance, type ContentPart, ToolError } from '@callgate/spec'

import { everythingOverHttp, everythingOverStdio } from './everything-server.ts'
import { differencesOf, type Seen } from './mcp-expectation.ts'
import { judge, type Verdict } from './verdict.ts'

/** The vector file: what the reference server answers to a full client. */
export interface EverythingFile {
  readonly elicitReplies: { readonly [name: string]: ElicitationAnswer }
  readonly samplingReply: { readonly [name: string]: unknown }
  readonly rootsReply: {
    readonly roots: readonly { readonly uri: string; readonly name?: string }[]
  }
  readonly cases: readonly EverythingCase[]
}

export interface EverythingCase {
  readonly id: string
  readonly method: string
  readonly tool?: string
  readonly input: { readonly [name: string]: unknown }
  readonly transports: readonly ('stdio' | 'http')[]
  readonly level?: 'adapter'
  readonly reply?: string
  readonly options?: { readonly timeoutMs?: number; readonly abortAfterMs?: number }
  readonly expect: { readonly [name: string]: unknown }
}

/** A gateway over the reference server, and what the server asked of it during the current case. */
interface Bench {
  readonly gateway: Gateway
  readonly adapter: McpAdapter
  readonly instance: () => AdapterInstance
  reply: string
  asked: NonNullable<Seen['asked']>
}

/** Runs every case over each of its transports, against the reference server itself; a verdict for each case. */
export async function runMcpEverything(file: EverythingFile): Promise<readonly Verdict[]> {
  const http = await everythingOverHttp()
  try {
    const overStdio = await runOver('stdio', everythingOverStdio, file)
    const overHttp = await runOver('http', { url: http.url }, file)
    return file.cases.map(({ id }) => merge(id, { stdio: overStdio, http: overHttp }))
  } finally {
    http.stop()
  }
}

function merge(id: string, runs: { readonly [transport: string]: readonly Verdict[] }): Verdict {
  const own = Object.entries(runs).flatMap(([transport, verdicts]) =>
    verdicts
      .filter((each) => each.id === id)
      .map(({ ok, detail }) => ({ ok, detail: `${transport}: ${detail}` })),
  )
  const failed = own.filter(({ ok }) => ok !== true)
  return {
    id,
    ok: own.length > 0 && failed.length === 0,
    detail: failed.map(({ detail }) => detail).join('; '),
  }
}

async function runOver(
  transport: 'stdio' | 'http',
  server: McpServer,
  file: EverythingFile,
): Promise<readonly Verdict[]> {
  const bench = await openBench(server, file)
  const verdicts: Verdict[] = []
  try {
    for (const vector of file.cases.filter(({ transports }) => transports.includes(transport))) {
      bench.reply = vector.reply ?? (vector.tool === 'trigger-url-elicitation' ? 'url' : 'accept')
      bench.asked = {}
      verdicts.push(
        await judge(vector.id, async () => differencesOf(vector.expect, await run(bench, vector))),
      )
    }
  } finally {
    await bench.gateway.close()
  }
  return verdicts
}

async function openBench(server: McpServer, file: EverythingFile): Promise<Bench> {
  let instance: AdapterInstance | undefined
  const adapter = mcpAdapter({
    // The second one has the limit of the cases that state one.
    servers: { everything: server, impatient: { ...server, timeoutMs: 800 } },
    roots: file.rootsReply.roots,
    elicitation: ({ schema }) => {
      bench.asked = { ...bench.asked, fields: Object.keys(Object(schema?.['properties'])) }
      return file.elicitReplies[bench.reply] ?? { action: 'cancel' }
    },
    sampling: ({ params }) => {
      bench.asked = { ...bench.asked, maxTokens: params['maxTokens'] }
      return file.samplingReply
    },
  })
  const make = adapter.create.bind(adapter)
  Object.assign(adapter, {
    create: (host: never) => {
      instance = make(host)
      return instance
    },
  })
  const gateway = createGateway({ adapters: [adapter] })
  const bench: Bench = { gateway, adapter, instance: () => instance!, reply: 'accept', asked: {} }
  await gateway.start()
  // Some tools are there only after the server has seen what its client can do.
  const end = performance.now() + 10_000
  while (gateway.registry.get('mcp::impatient::trigger-sampling-request') === undefined) {
    if (performance.now() > end) throw new Error('the tools of the server did not come')
    await new Promise((resolve) => {
      setTimeout(resolve, 25)
    })
  }
  return bench
}

async function run(bench: Bench, vector: EverythingCase): Promise<Seen> {
  const start = performance.now()
  const seen = await answer(bench, vector)
  return { ...seen, asked: bench.asked, ms: performance.now() - start }
}

function answer(bench: Bench, vector: EverythingCase): Promise<Seen> {
  if (vector.method === 'tools/call') {
    if (vector.id === 'subscribe-updates') return subscribed(bench, vector)
    return vector.level === 'adapter' ? invoked(bench, vector) : dispatched(bench, vector)
  }
  return listedOrRead(bench, vector)
}

async function dispatched(bench: Bench, vector: EverythingCase): Promise<Seen> {
  const { timeoutMs, abortAfterMs } = vector.options ?? {}
  const server = timeoutMs === undefined ? 'everything' : 'impatient'
  const progress: (number | undefined)[] = []
  const result = await bench.gateway.dispatch(
    { name: `mcp::${server}::${String(vector.tool)}`, arguments: vector.input },
    {
      onProgress: ({ fraction }) => progress.push(fraction),
      ...(abortAfterMs === undefined ? {} : { signal: AbortSignal.timeout(abortAfterMs) }),
    },
  )
  const alive =
    vector.expect['connectionStillUsable'] === undefined
      ? undefined
      : await bench.gateway.dispatch({
          name: 'mcp::everything::echo',
          arguments: { message: 'alive' },
        })
  const { error } = result
  const failed = error !== undefined && error.code !== 'tool_failed' && result.status === 'error'
  return {
    outcome: failed ? 'protocolError' : (outcomes[result.status] ?? result.status),
    content: result.content,
    data: result.data,
    progress,
    ...(error === undefined ? {} : { error: { ...error.backend, message: error.message } }),
    ...(alive === undefined ? {} : { alive: alive.content }),
  }
}

const outcomes: { readonly [status: string]: string } = {
  ok: 'result',
  error: 'toolError',
  cancelled: 'cancelled',
}

/** Past the validation of the gateway, to see what the server itself says. */
async function invoked(bench: Bench, vector: EverythingCase): Promise<Seen> {
  const tool = bench.gateway.registry.get(`mcp::everything::${String(vector.tool)}`)!
  const output = await bench.instance().invoke(
    { callId: 'c', idempotencyKey: 'c', attempt: 1, tool, arguments: vector.input },
    {
      signal: new AbortController().signal,
      log: { debug() {}, info() {}, warn() {}, error() {} },
      progress: () => undefined,
      blob: () => {
        throw new Error('no blob was expected')
      },
    },
  )
  return {
    outcome: output.isError === true ? 'toolError' : 'result',
    content: output.content ?? [],
    data: output.data,
  }
}

async function subscribed(bench: Bench, vector: EverythingCase): Promise<Seen> {
  const uri = String(vector.expect['firstUpdated'])
  let stop: (() => Promise<void>) | undefined
  const updated = new Promise<string>((resolve) => {
    void bench.adapter.subscribe('everything', uri, () => resolve(uri)).then((end) => (stop = end))
  })
  const seen = await dispatched(bench, vector)
  const firstUpdated = await Promise.race([
    updated,
    new Promise<string>((resolve) => {
      setTimeout(() => resolve('nothing in 8 s'), 8000)
    }),
  ])
  // The tool is a switch.
  await dispatched(bench, vector)
  await stop?.()
  return { ...seen, firstUpdated }
}

async function listedOrRead(bench: Bench, vector: EverythingCase): Promise<Seen> {
  const { adapter, gateway } = bench
  const { input } = vector
  try {
    switch (vector.method) {
      case 'tools/list': {
        const own = gateway.registry
          .list()
          .filter(({ namespace }) => namespace === 'mcp::everything')
        return { outcome: 'result', content: [], names: own.map(({ name }) => name) }
      }
      case 'prompts/list': {
        const prompts = await adapter.listPrompts('everything')
        return { outcome: 'result', content: [], names: prompts.map(({ name }) => String(name)) }
      }
      case 'prompts/get': {
        const { messages } = await adapter.getPrompt('everything', String(input['name']))
        return { outcome: 'result', content: messages.flatMap(({ content }) => content) }
      }
      default: {
        const content = await adapter.readResource('everything', String(input['uri']))
        return { outcome: 'result', content }
      }
    }
  } catch (error) {
    if (!ToolError.isInstance(error)) throw error
    return {
      outcome: 'protocolError',
      content: [] satisfies ContentPart[],
      error: { ...error.backend, message: error.message },
    }
  }
}
