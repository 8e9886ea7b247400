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

/** What a handler is asked about. */
export interface Firing {
  readonly payload: object
  readonly settings: InvokeSettings
  readonly run: { readonly waitedMs?: () => number }
}

/** Whatever was thrown, also nothing, is a fault. */
export function faultOf(thrown: unknown): unknown {
  return thrown ?? new Error('it threw nothing')
}

/** So many timeouts within so many milliseconds trip a hook; it is tried again when they are that old. */
const tripAfter = 3
const tripWindowMs = 60_000

/** Asks one handler; never throws. A timer is armed only when the handler returns a promise. */
export function invoke(registration: Registration, firing: Firing): Answer | Promise<Answer> {
  const fault = faultOfTripped(registration, firing)
  if (fault !== undefined) return { ok: false, fault }
  try {
    const value: unknown = registration.handler(firing.payload as never)
    // To look for its `then` may throw too: a getter, a proxy that was revoked.
    return isPromiseLike(value) ? settle(registration, value, firing) : { ok: true, value }
  } catch (thrown) {
    return failed(thrown)
  }
}

// One promise of its own: an async function that races with a timer makes six.
function settle(
  registration: Registration,
  value: PromiseLike<unknown>,
  firing: Firing,
): Promise<Answer> {
  return new Promise((resolve) => {
    let disarm: (() => void) | undefined
    let answered = false
    const answer = (given: Answer): void => {
      answered = true
      disarm?.()
      resolve(given)
    }
    // A thenable made by others can throw, or answer twice.
    Promise.resolve(value).then(
      (given) => answer({ ok: true, value: given }),
      (thrown: unknown) => answer(failed(thrown)),
    )
    // A promise that was settled already has answered by now, and needs no timer.
    void done.then(() => {
      if (answered) return
      disarm = armTimer(registration, firing, (fault) => resolve({ ok: false, fault }))
    })
  })
}

const done = Promise.resolve()

const failed = (thrown: unknown): Answer => ({ ok: false, fault: faultOf(thrown) })

const lookAgainMs = 100

/** Tells of a handler that is late, and remembers that it was; gives what ends that. */
function armTimer(
  registration: Registration,
  { settings, run }: Firing,
  onLate: (fault: Error) => void,
): () => void {
  const { clock } = settings
  const ms = registration.options.timeoutMs ?? settings.timeoutMs
  const waitedMs = (): number => run.waitedMs?.() ?? 0
  let timer: unknown
  const arm = (left: number, before: number): void => {
    timer = clock.setTimeout(() => {
      const waited = waitedMs()
      // While somebody waits it is looked at now and then.
      if (waited > before) return arm(Math.max(lookAgainMs, waited - before), waited)
      registration.timeouts.push(clock.now())
      const fault = new Error(`hook "${registration.id}" did not answer within ${ms} ms`)
      onLate(Object.assign(fault, { name: 'HookTimeoutError' }))
    }, left)
  }
  if (ms > 0) arm(ms, waitedMs())
  return () => {
    if (timer !== undefined) clock.clearTimeout(timer)
  }
}

/** A timer that rejects `expired` when the handler is late; `stop` and `start` leave out time that is not the hook's. */
export function startTimer(
  registration: Registration,
  firing: Firing,
): { readonly expired: Promise<never>; start(): void; stop(): void } {
  let disarm: (() => void) | undefined
  let reject: (reason: Error) => void = () => {}
  const expired = new Promise<never>((_, refuse) => {
    reject = refuse
  })
  // Nobody may be listening when it fires.
  expired.catch(() => {})
  const stop = (): void => disarm?.()
  const start = (): void => {
    stop()
    disarm = armTimer(registration, firing, reject)
  }
  start()
  return { expired, start, stop }
}

/** Why a hook that was late too often is not asked. */
export function faultOfTripped(
  { id, timeouts }: Registration,
  { settings: { clock } }: Firing,
): Error | undefined {
  if (timeouts.length < tripAfter) return undefined
  const oldest = clock.now() - tripWindowMs
  while (timeouts.length > 0 && timeouts[0]! <= oldest) timeouts.shift()
  return timeouts.length < tripAfter
    ? undefined
    : new Error(`hook "${id}" is off after ${tripAfter} timeouts`)
}
