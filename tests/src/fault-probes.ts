import { createGateway, defineTool, type FunctionTool } from '@callgate/core'
import { writeResults } from '@callgate/interop'
import type { CallContext, ToolCallIn, ToolResult } from '@callgate/spec'

import { createVirtualClock } from './virtual-clock.ts'

/** What came of one fault that language models and tools commonly make. */
export interface ProbeOutcome {
  readonly fault: string
  readonly results: readonly ToolResult[]
  /** What the model is shown: the message of each result, in order. */
  readonly shown: readonly string[]
  /** The arguments that the tools were run with, in the order in which they started. */
  readonly ran: readonly unknown[]
  /** Milliseconds until the turns had settled. */
  readonly tookMs: number
}

interface Probe {
  readonly fault: string
  readonly turns: readonly (readonly ToolCallIn[])[]
  /** Milliseconds until the caller stops the turn. */
  readonly abortAtMs?: number
}

const good: ToolCallIn = { id: 'good', name: 'read', arguments: '{"path":"/a"}' }

const probes: readonly Probe[] = [
  {
    fault: 'unknown tool next to a good one',
    turns: [[{ id: 'bad', name: 'raed', arguments: '{"path":"/a"}' }, good]],
  },
  {
    fault: 'throwing tool next to a good one',
    turns: [[{ id: 'bad', name: 'throws', arguments: '{}' }, good]],
  },
  {
    fault: '"7" for an integer',
    turns: [[{ id: 'c1', name: 'read', arguments: '{"path":"/a","limit":"7"}' }]],
  },
  {
    fault: `'["a","b"]' for a list`,
    turns: [[{ id: 'c1', name: 'read', arguments: '{"path":"/a","tags":"[\\"a\\",\\"b\\"]"}' }]],
  },
  {
    fault: 'same call id twice',
    turns: [
      [
        { id: 'same', name: 'read', arguments: '{"path":"/a"}' },
        { id: 'same', name: 'read', arguments: '{"path":"/b"}' },
      ],
    ],
  },
  {
    fault: 'big integer and cycle',
    turns: [[{ id: 'c1', name: 'strange', arguments: '{}' }]],
  },
  { fault: '2 MB text', turns: [[{ id: 'c1', name: 'long', arguments: '{}' }]] },
  {
    fault: 'call named constructor',
    turns: [[{ id: 'bad', name: 'constructor', arguments: '{}' }, good]],
  },
  {
    fault: 'abort at 0.1 s, tool ignores it for 2 s',
    turns: [[{ id: 'c1', name: 'stubborn', arguments: '{}' }]],
    abortAtMs: 100,
  },
  {
    fault: 'same call six turns',
    turns: Array.from({ length: 6 }, (_, n) => [{ ...good, id: `c${n + 1}` }]),
  },
]

/** Runs the ten fault probes against a gateway of its own each, in time that passes only when nothing else is to do. */
export async function runFaultProbes(): Promise<readonly ProbeOutcome[]> {
  const outcomes: ProbeOutcome[] = []
  for (const probe of probes) outcomes.push(await runProbe(probe))
  return outcomes
}

async function runProbe({ fault, turns, abortAtMs }: Probe): Promise<ProbeOutcome> {
  const time = createVirtualClock()
  const ran: unknown[] = []
  const sleep = (ms: number): Promise<string> =>
    new Promise((resolve) => time.clock.setTimeout(() => resolve('slept on'), ms))
  const gateway = createGateway({ tools: toolsOf(ran, sleep), ports: { clock: time.clock } })
  const stop = new AbortController()
  if (abortAtMs !== undefined) time.clock.setTimeout(() => stop.abort(), abortAtMs)
  const context: CallContext = { sessionId: fault, signal: stop.signal }
  const startedAt = time.clock.now()
  const results: ToolResult[] = []
  for (const toolCalls of turns) {
    results.push(...(await time.settle(gateway.runTurn({ toolCalls }, context))).results)
  }
  const tookMs = time.clock.now() - startedAt
  await time.settle(gateway.close())
  const messages = writeResults(results, 'openai-chat') as readonly { readonly content: string }[]
  return { fault, results, shown: messages.map(({ content }) => content), ran, tookMs }
}

function toolsOf(ran: unknown[], sleep: (ms: number) => Promise<string>): readonly FunctionTool[] {
  const tool = (name: string, execute: () => unknown): FunctionTool =>
    defineTool({
      namespace: 'local',
      name,
      description: name,
      parameters: true,
      effects: { readOnly: true },
      execute,
    })
  const read = defineTool({
    namespace: 'local',
    name: 'read',
    description: 'Reads a file.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        limit: { type: 'integer' },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['path'],
    },
    effects: { readOnly: true },
    execute(args) {
      ran.push(args)
      return `content of ${String(args['path'])}`
    },
  })
  return [
    read,
    tool('throws', () => {
      throw new Error('the disk is full')
    }),
    tool('strange', strangeValue),
    tool('long', () => `first line\n${'x'.repeat(2_000_000)}\nlast line`),
    tool('stubborn', () => sleep(2000)),
  ]
}

function strangeValue(): object {
  const value: Record<string, unknown> = { total: 12_345_678_901_234_567_890n }
  value['self'] = value
  return value
}
