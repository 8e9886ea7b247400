import { deepFreeze } from './freeze.ts'
import { faultOf, faultOfTripped, startTimer } from './invoke.ts'
import { isPromiseLike } from './promise-like.ts'
import type { Registration } from './registration.ts'
import { block, malformed, note, type RunState } from './run-state.ts'
import { withNext } from './with-next.ts'

type Next = () => Promise<unknown>

/** Thrown through the outer hooks when an inner one was refused; whatever they make of it, the call stays refused. */
class RefusedError extends Error {}

/**
 * Runs `innermost` inside the around hooks, the first in order outermost.
 *
 * A fault before `next` blocks; a fault after it keeps what the tool gave. Gives back the outermost value, or
 * throws what `innermost` threw.
 */
export function runAround<Payload extends object>(
  state: RunState<Payload>,
  registrations: readonly Registration[],
  innermost: Next,
): Promise<unknown> {
  let next = innermost
  for (const registration of registrations.toReversed()) {
    const inner = next
    next = () => runOne(state, registration, inner)
  }
  return next()
}

async function runOne<Payload extends object>(
  state: RunState<Payload>,
  registration: Registration,
  inner: Next,
): Promise<unknown> {
  const startedAt = state.settings.clock.now()
  const tripped = faultOfTripped(registration, state)
  if (tripped !== undefined) {
    if (registration.options.auditOnly === true) return inner()
    return refuse(state, registration, startedAt, tripped)
  }
  let called: Promise<unknown> | undefined
  let over = false
  const timer = startTimer(registration, state)
  const next: Next = () => {
    // A hook that has answered or is late must not start the tool afterwards.
    if (called !== undefined || over) return refusedNext(registration, over)
    // The tool's time is not the hook's.
    timer.stop()
    called = inner()
    // A hook that has answered without waiting for the tool is not late when the tool ends.
    const goOn = (): void => {
      if (!over) timer.start()
    }
    called.then(goOn, goOn)
    return called
  }
  try {
    const returned = registration.handler(deepFreeze(withNext(state.payload, next)) as never)
    const value = isPromiseLike(returned) ? await Promise.race([returned, timer.expired]) : returned
    over = true
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw malformed(registration, value, 'the output of the tool')
    }
    if (registration.options.auditOnly === true) {
      return await unchanged(state, registration, startedAt, { value, own: called, inner })
    }
    note(state, registration, 'around', startedAt)
    return value
  } catch (thrown) {
    const fault = faultOf(thrown)
    over = true
    if (called === undefined) {
      if (registration.options.auditOnly === true) {
        note(state, registration, 'around', startedAt, undefined, fault)
        return await inner()
      }
      return refuse(state, registration, startedAt, fault)
    }
    const value = await called
    note(state, registration, 'around', startedAt, undefined, fault)
    return value
  } finally {
    timer.stop()
  }
}

/** Rejects; a hook that does not wait for it leaves no rejection that nobody handles. */
function refusedNext({ id }: Registration, over: boolean): Promise<never> {
  const when = over ? 'after it had failed or answered' : 'twice'
  const refused = Promise.reject(new Error(`hook "${id}" called next ${when}`))
  refused.catch(() => {})
  return refused
}

/** What the tool gives by itself, whatever a hook that only records made of it. */
async function unchanged<Payload extends object>(
  state: RunState<Payload>,
  registration: Registration,
  startedAt: number,
  { value, own, inner }: { value: unknown; own: Promise<unknown> | undefined; inner: Next },
): Promise<unknown> {
  const given = await (own ?? inner())
  const substituted = given !== value
  note(state, registration, 'around', startedAt, substituted ? 'substitute' : undefined)
  return given
}

function refuse<Payload extends object>(
  state: RunState<Payload>,
  registration: Registration,
  startedAt: number,
  fault: unknown,
): never {
  note(state, registration, 'around', startedAt, undefined, fault)
  block(state, { hook: registration.id, fault })
  throw new RefusedError()
}
