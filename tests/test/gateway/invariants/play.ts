import { createGateway, type Gateway } from '@callgate/core'
import type { ApprovalRequest, Ports, ToolResult } from '@callgate/spec'

import { createVirtualClock, type VirtualClock } from '../../../src/virtual-clock.ts'
import { store } from '../approvals/support.ts'
import { hooksOf } from './hooks.ts'
import { behaviours, turnOf, type Scenario } from './scenario.ts'
import { newlySeen, type Seen } from './seen.ts'
import { toolNamed } from './tools.ts'

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

export interface Played {
  readonly seen: Seen
  readonly results: readonly ToolResult[]
  /** What came of the calls that waited, in another gateway. */
  readonly resumed: readonly { readonly ticket: ApprovalRequest; readonly result: ToolResult }[]
  readonly seenLater: Seen
}

/** Plays a turn, closes its gateway, and answers what waits in another one. */
export async function play(given: Scenario, sessionId = 's'): Promise<Played> {
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
