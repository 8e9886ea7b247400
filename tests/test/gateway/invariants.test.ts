import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { createGateway, defineTool, type FunctionTool, type Gateway } from '@callgate/core'
import { createHookBus, type HookBus } from '@callgate/hooks'
import { ToolError, type AssistantTurn, type CallgateEvents, type ToolResult } from '@callgate/spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createVirtualClock, type VirtualClock } from '../../src/virtual-clock.ts'

const heavy = process.env['CI'] === 'true'

/** How a tool behaves; each of these is a tool of that name. */
const behaviours = [
  'works',
  'works later',
  'throws',
  'rejects',
  'fault',
  'hangs',
  'needs approval',
  'only reads',
] as const
type Behaviour = (typeof behaviours)[number]
const answers = [
  'nothing',
  'allow',
  'ask',
  'block',
  'throw',
  'nonsense',
  'never',
  'rewrite',
] as const
type Answer = (typeof answers)[number]

const scenario = fc.record({
  calls: fc.array(
    fc.record({
      tool: fc.constantFrom<Behaviour | 'unknown'>(...behaviours, 'unknown'),
      n: fc.oneof(fc.integer(), fc.constant('5'), fc.constant('bad'), fc.constant(undefined)),
      id: fc.constantFrom('a', 'b', 'c', '', undefined),
      batched: fc.boolean(),
    }),
    { maxLength: 8 },
  ),
  hooks: fc.array(
    fc.record({
      answer: fc.constantFrom(...answers),
      later: fc.boolean(),
      tool: fc.constantFrom('*', 'local::works', 'local::throws'),
    }),
    { maxLength: 4 },
  ),
  stopAfter: fc.option(fc.integer({ min: 0, max: 4000 })),
  approve: fc.constantFrom('approve', 'deny', 'throw', 'never', 'edit'),
})
type Scenario = typeof scenario extends fc.Arbitrary<infer S> ? S : never

interface Seen {
  readonly gated: Set<string>
  readonly ran: { readonly key: string; readonly at: number }[]
  readonly posts: string[]
  stoppedAt: number
}

function keyOf(callId: string, args: unknown): string {
  return `${callId} ${JSON.stringify(args)}`
}

function toolNamed(name: Behaviour): FunctionTool {
  return defineTool({
    namespace: 'local',
    name: name.replaceAll(' ', '_'),
    description: name,
    parameters: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    timeoutMs: 500,
    ...(name === 'needs approval' ? { confirm: true } : {}),
    ...(name === 'only reads'
      ? {
          effects: { readOnly: true },
          retry: { maxRetries: 1, backoff: 'fixed', initialDelayMs: 10 },
        }
      : {}),
    execute: () => {
      switch (name) {
        case 'throws':
          throw new Error('no')
        case 'rejects':
          return Promise.reject(new Error('no'))
        case 'fault':
          throw new ToolError({ code: 'backend_error', message: 'no', started: 'unknown' })
        case 'hangs':
          return new Promise(() => {})
        case 'works later':
          return Promise.resolve('later')
        default:
          return 'now'
      }
    },
  })
}

function hookAnswer(answer: Answer): unknown {
  switch (answer) {
    case 'throw':
      throw new Error('hook')
    case 'nonsense':
      return 'yes'
    case 'never':
      return new Promise(() => {})
    case 'rewrite':
      return { action: 'modify', args: { n: 99 } }
    case 'nothing':
      return undefined
    default:
      return { action: answer }
  }
}

function hooksOf({ hooks }: Scenario, seen: Seen, time: VirtualClock): HookBus<CallgateEvents> {
  const bus = createHookBus<CallgateEvents>({ clock: time.clock, timeoutMs: 200 })
  for (const { answer, later, tool } of hooks) {
    const handler = later ? async () => hookAnswer(answer) : () => hookAnswer(answer)
    bus.on('pre_tool_call', handler as never, {
      kind: answer === 'rewrite' ? 'transform' : 'gate',
      match: tool,
    })
  }
  bus.on(
    'pre_tool_call',
    ({ callId, arguments: args }) => void seen.gated.add(keyOf(callId, args)),
    {
      kind: 'gate',
      phase: 'late',
    },
  )
  bus.on(
    'tool_execution',
    (payload) => {
      seen.ran.push({ key: keyOf(payload.callId, payload.arguments), at: time.clock.now() })
      return payload.next()
    },
    { phase: 'late' },
  )
  bus.on('post_tool_call', ({ callId }) => void seen.posts.push(callId))
  return bus
}

function turnOf({ calls }: Scenario): AssistantTurn {
  const entry = ({ tool, n }: Scenario['calls'][number]) => ({
    name: tool.replaceAll(' ', '_'),
    arguments: n === undefined ? {} : { n },
  })
  const single = calls
    .filter(({ batched }) => !batched)
    .map((call) => ({ id: call.id, ...entry(call) }))
  const batched = calls.filter((call) => call.batched).map(entry)
  return {
    toolCalls: [
      ...single,
      ...(batched.length > 0
        ? [{ id: 'batch', name: 'tool_call', arguments: JSON.stringify({ calls: batched }) }]
        : []),
    ],
  }
}

function gatewayFor(given: Scenario, seen: Seen, time: VirtualClock): Gateway {
  return createGateway({
    tools: behaviours.map(toolNamed),
    hooks: hooksOf(given, seen, time),
    ports: { clock: time.clock, random: { next: () => 0 } },
    policy: { approvalTimeoutMs: 1000 },
    approver: async () => {
      if (given.approve === 'throw') throw new Error('approver')
      if (given.approve === 'never') return new Promise(() => {})
      if (given.approve === 'edit') return { decision: 'edit', arguments: { n: 7 } }
      return { decision: given.approve }
    },
  })
}

async function play(given: Scenario): Promise<{ seen: Seen; results: readonly ToolResult[] }> {
  const time = createVirtualClock()
  const seen: Seen = { gated: new Set(), ran: [], posts: [], stoppedAt: Infinity }
  const gateway = gatewayFor(given, seen, time)
  const stop = new AbortController()
  if (given.stopAfter !== null) {
    time.clock.setTimeout(() => {
      seen.stoppedAt = time.clock.now()
      stop.abort()
    }, given.stopAfter)
  }
  const { results } = await time.settle(
    gateway.runTurn(turnOf(given), { sessionId: 's', signal: stop.signal }),
  )
  await time.settle(gateway.close())
  return { seen, results }
}

describe('whatever a turn, its hooks, tools, humans and stops do', { timeout: 300_000 }, () => {
  const rejections: unknown[] = []
  const note = (reason: unknown): void => void rejections.push(reason)

  it('every call has one result and one post_tool_call; what ran had passed the gates with those arguments; nothing starts after a stop', async () => {
    process.on('unhandledRejection', note)
    try {
      await fc.assert(
        fc.asyncProperty(scenario, async (given) => {
          const { seen, results } = await play(given)
          expect(results).toHaveLength(given.calls.length)
          const ids = results.map(({ callId }) => callId)
          expect(new Set(ids).size).toBe(ids.length)
          expect(seen.posts.toSorted()).toEqual(ids.toSorted())
          for (const { key, at } of seen.ran) {
            expect(seen.gated).toContain(key)
            expect(at).toBeLessThanOrEqual(seen.stoppedAt)
          }
          for (const { status, metadata, error } of results) {
            expect(status === 'ok').toBe(error === undefined)
            if (status === 'denied') expect(metadata.outcome).toBe('not_started')
          }
        }),
        { numRuns: heavy ? 5000 : 500 },
      )
      await new Promise((resolve) => setImmediate(resolve))
      expect(rejections).toEqual([])
    } finally {
      process.off('unhandledRejection', note)
    }
  })

  it('a hundred thousand turns of anything are all answered', async () => {
    const gateway = createGateway({
      tools: [
        defineTool({
          namespace: 'local',
          name: 'a',
          description: 'a',
          parameters: true,
          execute: (args) => args,
        }),
      ],
    })
    const call = fc.record(
      {
        id: fc.anything(),
        name: fc.oneof(
          fc.constantFrom('a', 'tool_call', 'tool_search', '__proto__'),
          fc.anything(),
        ),
        arguments: fc.oneof(fc.anything(), fc.json(), fc.string()),
      },
      { requiredKeys: [] },
    )
    const calls = fc.array(
      fc.oneof({ weight: 9, arbitrary: call }, { weight: 1, arbitrary: fc.anything() }),
      { maxLength: 3 },
    )
    await fc.assert(
      fc.asyncProperty(calls, async (toolCalls) => {
        const { turn, results } = await gateway.runTurn({ toolCalls } as AssistantTurn)
        expect(results).toHaveLength(turn.toolCalls.length)
        expect(results.every(({ callId }) => callId !== '')).toBe(true)
      }),
      { numRuns: heavy ? 100_000 : 10_000 },
    )
  })
})

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

describe('many calls at once', () => {
  it('ten thousand in flight are all answered, and their memory is given back', async () => {
    const gates: (() => void)[] = []
    const gateway = createGateway({
      tools: [
        defineTool({
          namespace: 'local',
          name: 'wait',
          description: 'waits',
          parameters: true,
          execute: () => new Promise<string>((resolve) => gates.push(() => resolve('done'))),
        }),
      ],
    })
    const count = heavy ? 10_000 : 2000
    const round = async (): Promise<number> => {
      const calls = Array.from({ length: count }, (_, n) =>
        gateway.dispatch({ id: `c${n}`, name: 'wait', arguments: { n } }),
      )
      await expect.poll(() => gates.length).toBe(count)
      for (const open of gates.splice(0)) open()
      const results = await Promise.all(calls)
      expect(results.every(({ status }) => status === 'ok')).toBe(true)
      collect()
      return process.memoryUsage().heapUsed
    }
    await round()
    const before = await round()
    const after = await round()
    expect(after - before).toBeLessThan(1_000_000)
  })
})
