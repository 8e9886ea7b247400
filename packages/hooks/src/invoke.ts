import { isPromiseLike } from './promise-like.ts'
import type { Registration } from './registration.ts'
import type { HookClock } from './types.ts'

/** What came of asking one handler. */
export type Answer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: unknown }

export interface InvokeSettings {
  readonly clock: HookClock
  readonly timeoutMs: number
}

/** A handler that did not answer in time. */
class HookTimeoutError extends Error {
  constructor(hook: string, ms: number) {
    super(`hook "${hook}" did not answer within ${ms} ms`)
    this.name = 'HookTimeoutError'
  }
}

/** So many timeouts within so many milliseconds trip a hook; it is tried again when they are that old. */
const tripAfter = 3
const tripWindowMs = 60_000

/** Asks one handler; never throws. A timer is armed only when the handler returns a promise. */
export function invoke(
  registration: Registration,
  payload: object,
  settings: InvokeSettings,
): Answer | Promise<Answer> {
  if (isTripped(registration, settings.clock)) {
    return {
      ok: false,
      fault: new Error(`hook "${registration.id}" is off after ${tripAfter} timeouts`),
    }
  }
  try {
    const value: unknown = registration.handler(payload as never)
    // To look for its `then` may throw too: a getter, a proxy that was revoked.
    return isPromiseLike(value) ? settle(registration, value, settings) : { ok: true, value }
  } catch (fault) {
    return failed(fault)
  }
}

/** Whatever was thrown, also nothing, is a fault. */
function failed(fault: unknown): Answer {
  return { ok: false, fault: fault ?? new Error('it threw nothing') }
}

// One promise of its own: an async function that races with a timer makes six.
function settle(
  registration: Registration,
  value: PromiseLike<unknown>,
  settings: InvokeSettings,
): Promise<Answer> {
  return new Promise((resolve) => {
    let timer: unknown
    let answered = false
    const answer = (given: Answer): void => {
      answered = true
      if (timer !== undefined) settings.clock.clearTimeout(timer)
      resolve(given)
    }
    // A thenable made by others can throw, or answer twice.
    Promise.resolve(value).then(
      (given) => answer({ ok: true, value: given }),
      (fault: unknown) => answer(failed(fault)),
    )
    // A promise that was settled already has answered by now, and needs no timer.
    void done.then(() => {
      if (answered) return
      timer = armTimer(registration, settings, (fault) => resolve({ ok: false, fault }))
    })
  })
}

const done = Promise.resolve()

/** Tells of a handler that is late, and remembers that it was; undefined where the handler has no limit. */
function armTimer(
  registration: Registration,
  { clock, timeoutMs }: InvokeSettings,
  onLate: (fault: HookTimeoutError) => void,
): unknown {
  const ms = registration.options.timeoutMs ?? timeoutMs
  if (ms === 0) return undefined
  return clock.setTimeout(() => {
    registration.timeouts.push(clock.now())
    onLate(new HookTimeoutError(registration.id, ms))
  }, ms)
}

/** A timer that rejects `expired` when the handler is late; `stop` and `start` leave out time that is not the hook's. */
export function startTimer(
  registration: Registration,
  settings: InvokeSettings,
): { readonly expired: Promise<never>; start(): void; stop(): void } {
  const { clock } = settings
  let timer: unknown
  let reject: (reason: Error) => void = () => {}
  const expired = new Promise<never>((_, refuse) => {
    reject = refuse
  })
  // Nobody may be listening when it fires.
  expired.catch(() => {})
  const stop = (): void => {
    if (timer !== undefined) clock.clearTimeout(timer)
    timer = undefined
  }
  const start = (): void => {
    stop()
    timer = armTimer(registration, settings, reject)
  }
  start()
  return { expired, start, stop }
}

export function isTripped(registration: Registration, clock: HookClock): boolean {
  const { timeouts } = registration
  if (timeouts.length < tripAfter) return false
  const oldest = clock.now() - tripWindowMs
  while (timeouts.length > 0 && timeouts[0]! <= oldest) timeouts.shift()
  return timeouts.length >= tripAfter
}
