import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

import { inTurns, printTable, type Chunk, type Measured } from '../src/measure.ts'
import type { Ask } from './subject-process.ts'
import type { PeerSubject } from './subjects/subject.ts'

// The floor first: the tables' ratios are to their first row.
const modules = ['floor', 'callgate', 'ai-sdk', 'openai-agents', 'langchain', 'mastra', 'pi', 'mcp']

const footnote = `
Every row: the same tool with three flat parameters, the same argument text, an asynchronous function that does nothing,
a model that costs nothing. A process of its own for each library, measured in turns; the fastest chunk by the clock, the
mean by processor time (garbage collection and compilation included). What happens on the path:
  floor          JSON.parse, a compiled ajv validator, await of the function
  Callgate       look-up, roles, repair and validation, hooks as the row says, risk, loop guard, limits, circuit breaker,
                 retry wrapper, timeout, envelope with the time of each step, redaction, size cap, audit, statistics
  AI SDK         executeTool: awaits the function as a generator, validates nothing. generateText: the only public path
                 that validates (Zod); a step with its callbacks, result parts and response messages; no permission
  OpenAI Agents  invokeFunctionTool: JSON.parse, Zod, timeout and abort wrapper. Runner: run state, guardrail checks,
                 items, two model turns; no audit. Its cost per call grows with the calls of a message
  LangChain      tool.invoke: config, callback manager, Zod, ToolMessage. ToolNode: the same for all calls of a message.
                 createAgent: a graph with two model turns; no permission, no audit
  Mastra         tool.execute: Zod and the function. agent.generate: workflow, message list, two model turns, streams
  pi-agent-core  JSON.parse, look-up, argument repair, JSON Schema validation, its two hooks. runAgentLoop: events and
                 messages, two model turns; no permission, limits, envelope or audit
  MCP SDK        JSON-RPC between a client and a server over an in-memory transport, Zod for the message and for the
                 arguments; no hooks, no permission
A loop's row holds what its loop does around the calls, divided by the hundred calls of a message.`

interface Hosted extends Omit<PeerSubject, 'run'> {
  readonly index: number
  readonly host: ChildProcess
}

async function host(module: string): Promise<readonly Hosted[]> {
  const path = new URL('./subject-process.ts', import.meta.url)
  const child = fork(path, [module], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const [named] = (await once(child, 'message')) as [readonly Omit<Hosted, 'index' | 'host'>[]]
  return named.map((subject, index) => ({ ...subject, index, host: child }))
}

/** One chunk. Rejects when the process ends instead of answering. */
async function chunkOf({ name, index, host: child }: Hosted): Promise<Chunk> {
  const ended = new AbortController()
  const onExit = (): void => ended.abort(new Error(`${name}: its process ended`))
  child.once('exit', onExit)
  const answer = once(child, 'message', { signal: ended.signal }) as Promise<[Chunk]>
  child.send({ index } satisfies Ask)
  const [chunk] = await answer
  child.off('exit', onExit)
  return chunk
}

/** Prints what a call costs in Callgate and in its peers: one by one, and as a message of a hundred calls. */
export async function run(rounds: number): Promise<void> {
  const hosted: Hosted[] = []
  try {
    for (const module of modules) hosted.push(...(await host(module)))
    for (const [table, title] of [
      ['call', 'one call after the other, per call'],
      ['turn', 'messages of 100 calls, per call'],
    ] as const) {
      const rows = hosted.filter((subject) => subject.table === table)
      const chunks = await inTurns(rows, rounds, chunkOf)
      printTable(
        title,
        rows.map(({ name }, index): Measured => ({ name, ...chunks[index]! })),
      )
    }
    console.log(footnote)
  } finally {
    for (const child of new Set(hosted.map((subject) => subject.host))) child.disconnect()
  }
}
