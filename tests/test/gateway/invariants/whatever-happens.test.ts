import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { createGateway, defineTool } from '@callgate/core'
import { createHookBus } from '@callgate/hooks'
import type { AssistantTurn, CallgateEvents } from '@callgate/spec'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

import { play, type Played } from './play.ts'
import { scenario, type Scenario } from './scenario.ts'

const heavy = process.env['CI'] === 'true'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

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
