import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { createGateway, defineTool, type FunctionTool, type Gateway } from '@callgate/core'
import { createHookBus, type HookBus } from '@callgate/hooks'
import {
  ToolError,
  type ApprovalRequest,
  type AssistantTurn,
  type CallgateEvents,
  type Ports,
  type ToolDefinition,
  type ToolResult,
} from '@callgate/spec'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

import { createVirtualClock, type VirtualClock } from '../../src/virtual-clock.ts'

const heavy = process.env['CI'] === 'true'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

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
  'streams',
  'falls back',
  'of steps',
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
      tool: fc.constantFrom<Behaviour | 'unknown'>(
        ...behaviours,
        'unknown',
        'needs approval',
        'needs approval',
        'needs approval',
      ),
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
      tool: fc.constantFrom('*', 'local::works', 'local::throws', 'local::only_reads'),
    }),
    { maxLength: 4 },
  ),
  stopAfter: fc.option(fc.integer({ min: 0, max: 4000 })),
  approve: fc.constantFrom('approve', 'deny', 'throw', 'never', 'edit', 'pending', 'pending'),
  resume: fc.constantFrom('approve', 'approve', 'deny', 'edit'),
})
type Scenario = typeof scenario extends fc.Arbitrary<infer S> ? S : never

interface Seen {
  /** The very objects that passed all gates. */
  readonly gated: WeakSet<object>
  /** Executions on arguments that no gate had passed, and after a stop. */
  readonly ungated: unknown[]
  readonly afterStop: unknown[]
  readonly posts: string[]
  runs: number
  stopped: boolean
}

function newlySeen(): Seen {
  return {
    gated: new WeakSet(),
    ungated: [],
    afterStop: [],
    posts: [],
    runs: 0,
    stopped: false,
  }
}

async function* pieces(): AsyncGenerator {
  yield 'a'
  yield await Promise.resolve('b')
}

function behave(name: Behaviour): unknown {
  switch (name) {
    case 'throws':
      throw new Error('no')
    case 'rejects':
      return Promise.reject(new Error('no'))
    case 'fault':
      throw new ToolError({ code: 'backend_error', message: 'no', started: 'unknown' })
    case 'falls back':
      throw new ToolError({ code: 'backend_unavailable', message: 'no', started: 'no' })
    case 'hangs':
      return new Promise(() => {})
    case 'works later':
      return Promise.resolve('later')
    case 'streams':
      return pieces()
    default:
      return 'now'
  }
}

const parameters = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
} as const

function toolNamed(name: Behaviour, seen: Seen): FunctionTool | ToolDefinition {
  const common = {
    namespace: 'local',
    name: name.replaceAll(' ', '_'),
    description: name,
    parameters,
    timeoutMs: 500,
  }
  if (name === 'of steps') {
    const steps = ['local::works', 'local::only_reads'].map((tool) => ({
      tool,
      arguments: { n: '{n}' },
    }))
    return { ...common, backend: { adapter: 'composite', steps } }
  }
  return defineTool({
    ...common,
    ...(name === 'needs approval' ? { confirm: true } : {}),
    ...(name === 'falls back' ? { fallback: ['local::fault', 'local::works_later'] } : {}),
    ...(name === 'only reads'
      ? {
          effects: { readOnly: true },
          retry: { maxRetries: 1, backoff: 'fixed', initialDelayMs: 10 },
        }
      : {}),
    execute(args) {
      seen.runs++
      if (!seen.gated.has(args)) seen.ungated.push([name, args])
      if (seen.stopped) seen.afterStop.push([name, args])
      return behave(name)
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
  bus.on('pre_tool_call', ({ arguments: args }) => void seen.gated.add(args), {
    kind: 'gate',
    phase: 'late',
  })
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

/** Approvals that outlive a gateway, kept as text as a store would. */
function store(): Ports['approvals'] {
  const pending = new Map<string, string>()
  const read = (text: string): ApprovalRequest => JSON.parse(text) as ApprovalRequest
  return {
    durable: true,
    put: async (request) => void pending.set(request.ticketId, JSON.stringify(request)),
    decide: async (ticketId) => (pending.delete(ticketId) ? 'decided' : 'gone'),
    async claim(ticketId) {
      const text = pending.get(ticketId)
      pending.delete(ticketId)
      return text === undefined ? undefined : read(text)
    },
    withdraw: async (ticketId) => void pending.delete(ticketId),
    list: async () => [...pending.values()].map(read),
    grant: async () => {},
    granted: async () => false,
  }
}

function gatewayFor(
  given: Scenario,
  seen: Seen,
  time: VirtualClock,
  approvals: Ports['approvals'],
): Gateway {
  const { approve } = given
  return createGateway({
    tools: behaviours.map((name) => toolNamed(name, seen)),
    hooks: hooksOf(given, seen, time),
    ports: { clock: time.clock, random: { next: () => 0 }, approvals },
    policy: { approvalTimeoutMs: approve === 'pending' ? 100_000 : 1000 },
    ...(approve === 'pending'
      ? {}
      : {
          approver: async () => {
            if (approve === 'throw') throw new Error('approver')
            if (approve === 'never') return new Promise(() => {})
            if (approve === 'edit') return { decision: 'edit', arguments: { n: 7 } }
            return { decision: approve }
          },
        }),
  })
}

interface Played {
  readonly seen: Seen
  readonly results: readonly ToolResult[]
  /** What came of the calls that waited, in another gateway. */
  readonly resumed: readonly { readonly ticket: ApprovalRequest; readonly result: ToolResult }[]
  readonly seenLater: Seen
}

async function play(given: Scenario, sessionId = 's'): Promise<Played> {
  const time = createVirtualClock()
  const seen = newlySeen()
  const seenLater = newlySeen()
  const approvals = store()
  const gateway = gatewayFor(given, seen, time, approvals)
  const stop = new AbortController()
  if (given.stopAfter !== null) {
    time.clock.setTimeout(() => {
      seen.stopped = true
      stop.abort()
    }, given.stopAfter)
  }
  const { results } = await time.settle(
    gateway.runTurn(turnOf(given), { sessionId, signal: stop.signal }),
  )
  await time.settle(gateway.close())
  const later = gatewayFor(given, seenLater, time, approvals)
  const resumed: { ticket: ApprovalRequest; result: ToolResult }[] = []
  for (const ticket of await approvals.list()) {
    const { resume } = given
    const decision =
      resume === 'edit' ? { decision: resume, arguments: { n: 8 } } : { decision: resume }
    resumed.push({ ticket, result: await time.settle(later.resume(ticket.ticketId, decision)) })
  }
  await time.settle(later.close())
  return { seen, results, resumed, seenLater }
}

function counted({ seen, results, resumed, seenLater }: Played, given: Scenario): void {
  expect(results).toHaveLength(given.calls.length)
  const ids = results.map(({ callId }) => callId)
  expect(new Set(ids).size).toBe(ids.length)
  // Calls made by composite tools have posts too, and no result in the turn.
  expect(new Set(seen.posts).size).toBe(seen.posts.length)
  expect(seen.posts).toEqual(expect.arrayContaining(ids))
  for (const { ungated, afterStop } of [seen, seenLater]) {
    expect(ungated).toEqual([])
    expect(afterStop).toEqual([])
  }
  for (const { status, metadata, error } of results) {
    expect(status === 'ok').toBe(error === undefined)
    if (status === 'denied') expect(metadata.outcome).toBe('not_started')
    if (status === 'pending') expect(metadata.ticketId).toBeDefined()
  }
  for (const { ticket, result } of resumed) {
    expect(result.callId).toBe(ticket.callId)
    expect(seenLater.posts.filter((id) => id === ticket.callId)).toHaveLength(1)
    if (given.resume === 'deny') expect(result.error?.code).toBe('approval_denied')
  }
}

describe('whatever a turn, its hooks, tools, humans and stops do', { timeout: 300_000 }, () => {
  const rejections: unknown[] = []
  const note = (reason: unknown): void => void rejections.push(reason)
  beforeAll(() => void process.on('unhandledRejection', note))
  afterAll(() => void process.off('unhandledRejection', note))
  afterEach(async () => {
    await new Promise((resolve) => setImmediate(resolve))
    if (rejections.length > 0) throw new Error(`nobody handled ${String(rejections[0])}`)
  })

  it('every call has one result and one post_tool_call; what ran had passed the gates with those very arguments; nothing starts after a stop; what was approved is what runs', async () => {
    let runs = 0
    let resumed = 0
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const played = await play(given)
        counted(played, given)
        runs += played.seen.runs + played.seenLater.runs
        resumed += played.resumed.filter(({ result }) => result.status === 'ok').length
      }),
      { numRuns: heavy ? 5000 : 500 },
    )
    expect(runs).toBeGreaterThan(100)
    expect(resumed).toBeGreaterThan(3)
  })

  it('the memory is that of the start again', async () => {
    const turns = fc.sample(scenario, { numRuns: 200, seed: 7 })
    const round = async (): Promise<number> => {
      for (const [n, given] of turns.entries()) await play(given, `s${n % 20}`)
      collect()
      return process.memoryUsage().heapUsed
    }
    await round()
    const before = await round()
    const after = await round()
    expect(after - before).toBeLessThan(1_500_000)
  })

  it('a hundred thousand turns of anything are all answered', async () => {
    const hooks = createHookBus<CallgateEvents>()
    for (const event of ['turn_start', 'batch_expanded', 'post_tool_call', 'turn_end'] as const) {
      hooks.on(event, async () => {})
    }
    const gateway = createGateway({
      hooks,
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
        const context = { sessionId: 's', task: 'anything' }
        const { turn, results } = await gateway.runTurn({ toolCalls } as AssistantTurn, context)
        expect(results).toHaveLength(turn.toolCalls.length)
        expect(results.every(({ callId }) => callId !== '')).toBe(true)
      }),
      { numRuns: heavy ? 100_000 : 10_000 },
    )
  })
})
