import type { Release } from '../policy/bulkhead.ts'
import { late } from '../policy/late.ts'
import { retryDelay } from '../policy/retry.ts'
import { failure, type Failure } from '../results/failure.ts'
import { GatewayClosed } from '../turn/gateway-closed.ts'
import type { Stop } from '../turn/stop.ts'
import { attempt } from './attempt.ts'
import { ownTimeout } from './bounded-wait.ts'
import type { Call, Produced } from './call.ts'
import { humanMs } from './human-wait.ts'
import { withdrawn } from './lookup.ts'
import { proceed, type Maybe } from './maybe.ts'
import type { Services } from './services.ts'

/**
 * Step 5: deadline( guardrails → rate limit → bulkhead → retry( breaker( timeout( hooks ( invoke ))))) (R10.1).
 * Never throws.
 */
export function execute(call: Call, services: Services): Maybe<Produced> {
  const guarded = services.guardrails.check(call)
  if (guarded !== undefined) return { ok: false, failure: guarded }
  // An entry of a connector batch: the batch has one permit for all of them.
  if (call.invoke !== undefined) return tryOnce(call, services, asIs)
  const refused = services.limits.take(call)
  if (refused !== undefined) return { ok: false, failure: refused }
  return proceed(services.limits.enter(call, remaining(call, services)), call, services, inPlace)
}

function inPlace(call: Call, services: Services, place: Release | Failure): Maybe<Produced> {
  if (typeof place !== 'function') return { ok: false, failure: place }
  // It may have waited in line.
  const refused = stoppedBefore(call) ?? withdrawn(call, services)
  if (refused !== undefined) {
    place()
    return { ok: false, failure: refused }
  }
  call.leave = place
  return tryOnce(call, services, settleFirst)
}

/** What is to be done with what came of an attempt. */
export type Settle = (call: Call, services: Services, produced: Produced) => Maybe<Produced>

const asIs: Settle = (_call, _services, produced) => produced

/** Frees the place, once the call is not tried again: only one that is enters the loop. */
function settleFirst(call: Call, services: Services, produced: Produced): Maybe<Produced> {
  let again = false
  try {
    again = delayAfter(call, services, produced) !== undefined
  } finally {
    // Also where a port throws: a place that nobody leaves is lost.
    if (!again) call.leave()
  }
  return again ? retrying(call, services, produced).finally(call.leave) : produced
}

async function retrying(call: Call, services: Services, first: Produced): Promise<Produced> {
  let produced = first
  for (;;) {
    const delay = delayAfter(call, services, produced)
    if (delay === undefined) return produced
    if (!(await pause(call, services, delay))) return produced
    // What came of the first attempts is the answer where the tool was taken out meanwhile.
    if (withdrawn(call, services) !== undefined) return produced
    produced = await tryOnce(call, services, asIs)
  }
}

function delayAfter(call: Call, services: Services, produced: Produced): number | undefined {
  if (produced.ok || call.stop.stopped) return undefined
  const { definition } = call.entry!
  const longestMs = Math.max(definition.timeoutMs ?? 0, services.settings.timeoutMs)
  const { random } = services.ports
  const attempts = call.attempts - call.attemptsBefore
  const delay = retryDelay(definition, produced.failure, attempts, random, longestMs)
  return delay === undefined || delay >= remaining(call, services) ? undefined : delay
}

/** A timer that is to wait longer fires at once. */
const longestTimerMs = 2 ** 31 - 1

/** Milliseconds until the call's own deadline; Infinity without one, or where it is weeks away. */
export function remaining(call: Call, services: Services): number {
  const { deadlineMs } = call.context
  if (deadlineMs === undefined) return Infinity
  const { clock } = services.ports
  const left = call.startedAt + humanMs(call, clock) + deadlineMs - clock.now()
  return left > longestTimerMs ? Infinity : left
}

/** Whole milliseconds that the tool may take now; none are left where the deadline of the call is over. */
export function timeLeft(call: Call, services: Services): number {
  return Math.min(ownTimeout(call, services), Math.ceil(Math.max(0, remaining(call, services))))
}

function tryOnce(call: Call, services: Services, settle: Settle): Maybe<Produced> {
  const entry = call.entry!
  const timeoutMs = timeLeft(call, services)
  // Last of all: only what now runs may take the one probe of an open circuit, and says what came of it.
  const refused = timeoutMs > 0 ? services.breakers.enter(entry) : late(call)
  if (refused !== undefined) return settle(call, services, { ok: false, failure: refused })
  call.attempts++
  return attempt(call, services, timeoutMs, settle)
}

/** Waits before the next attempt; false when the call was stopped meanwhile. */
function pause(call: Call, services: Services, ms: number): Promise<boolean> {
  const { clock } = services.ports
  return new Promise((resolve) => {
    const timer = clock.setTimeout(() => {
      call.stop.forget(stopped)
      resolve(true)
    }, ms)
    const stopped = {
      onStop(): void {
        clock.clearTimeout(timer)
        resolve(false)
      },
    }
    call.stop.tell(stopped)
  })
}

export function stoppedBefore(call: { readonly stop: Stop }): Failure | undefined {
  if (!call.stop.stopped) return undefined
  return call.stop.reason instanceof GatewayClosed
    ? failure('cancelled', 'The gateway is closed; the call was not made.', {
        rule: 'gateway-closed',
        hint: 'Make no more calls here.',
      })
    : failure('cancelled', 'The call was stopped before it started.')
}
