import type { Firing, InvokeSettings } from './invoke.ts'
import type { Registration } from './registration.ts'
import type { FaultRule, HookKind, HookOutcome, HookTrace } from './types.ts'

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** What one firing of an event has gathered so far. */
export interface RunState<Payload extends object> {
  payload: Payload
  allowed: boolean
  readonly asks: HookOutcome<Payload>['asks'][number][]
  blockedBy: HookOutcome<Payload>['blockedBy']
  withheldBy: HookOutcome<Payload>['withheldBy']
  readonly trace: HookTrace[]
  readonly fault: FaultRule
  readonly settings: InvokeSettings
  readonly run: Firing['run']
}

export function startRun<Payload extends object>(
  payload: Payload,
  fault: FaultRule,
  settings: InvokeSettings,
  run: Firing['run'],
): RunState<Payload> {
  return {
    payload,
    allowed: false,
    asks: [],
    blockedBy: undefined,
    withheldBy: undefined,
    trace: [],
    fault,
    settings,
    run,
  }
}

/** A line of the trace: of a class, since V8 moves what literals make and an audit keeps to the old space at its birth. */
class Line implements HookTrace {
  readonly hook: string
  readonly kind: HookKind
  readonly ms: number
  declare decision?: string
  declare fault?: string

  constructor(hook: string, kind: HookKind, ms: number) {
    this.hook = hook
    this.kind = kind
    this.ms = ms
  }
}

/** Writes one line of the trace; takes a reading of the clock at its start and gives one at its end, in milliseconds. */
export function note<Payload extends object>(
  state: RunState<Payload>,
  registration: Registration,
  kind: HookKind,
  startedAt: number,
  decision?: string,
  fault?: unknown,
): number {
  const endedAt = state.settings.clock.now()
  const line = new Line(registration.id, kind, endedAt - startedAt)
  if (decision !== undefined) {
    line.decision = registration.options.auditOnly === true ? `would ${decision}` : decision
  }
  if (fault !== undefined) line.fault = textOf(fault)
  state.trace.push(line)
  return endedAt
}

/** Records a block; the first one in hook order is the one that is shown. */
export function block<Payload extends object>(
  state: RunState<Payload>,
  blockedBy: NonNullable<HookOutcome<Payload>['blockedBy']>,
): void {
  state.blockedBy ??= blockedBy
}

export function outcomeOf<Payload extends object>(state: RunState<Payload>): HookOutcome<Payload> {
  const { payload, asks, trace, blockedBy, withheldBy } = state
  const decision =
    blockedBy !== undefined ? 'block' : asks.length > 0 ? 'ask' : state.allowed ? 'allow' : 'none'
  // Not spread: most outcomes have neither.
  const outcome: Writable<HookOutcome<Payload>> = { payload, decision, asks, trace }
  if (blockedBy !== undefined) outcome.blockedBy = blockedBy
  if (withheldBy !== undefined) outcome.withheldBy = withheldBy
  return outcome
}

/** For operators: the cause of an error may say what its message leaves out, since a model may read that. */
function textOf(fault: unknown): string {
  try {
    if (!(fault instanceof Error)) return String(fault)
    const cause = fault.cause instanceof Error ? fault.cause.message : fault.cause
    return typeof cause === 'string' ? `${fault.message} (${cause})` : fault.message
  } catch {
    // An object without text, or at which nobody can look.
    return 'a fault that cannot be shown'
  }
}

/** A fault for an answer that is neither nothing nor one of the listed objects. */
export function malformed(registration: Registration, value: unknown, fits: string): TypeError {
  const got = Array.isArray(value)
    ? 'a list'
    : typeof value === 'object'
      ? describe(value)
      : typeof value
  return new TypeError(`hook "${registration.id}" returned ${got}; expected nothing or ${fits}`)
}

const fields = ['action', 'message', 'rule']

/** What a slip in a name was to say would be lost. @throws TypeError for a field that no decision has. */
export function checkFields({ id }: Registration, action: unknown, decision: unknown): void {
  // What is no decision at all is told so.
  if (action === undefined) return
  for (const field in decision as object) {
    if (!fields.includes(field) && Object.hasOwn(decision as object, field)) {
      throw new TypeError(`hook "${id}" returned "${field}"; expected only ${fields.join(', ')}`)
    }
  }
}

function describe(value: object | null): string {
  if (value === null) return 'null'
  try {
    const { action } = value as { action?: unknown }
    const shown = typeof action === 'string' ? JSON.stringify(action.slice(0, 80)) : typeof action
    return `an object with action ${shown}`
  } catch {
    return 'an object that cannot be read'
  }
}
