import type { HookKind, HookOptions } from './types.ts'

/** One handler as the bus keeps it. */
export interface Registration {
  readonly id: string
  readonly event: string
  readonly handler: (payload: never) => unknown
  readonly options: HookOptions
  readonly sequence: number
  /** When it timed out lately, for tripping. */
  readonly timeouts: number[]
}

const phases = { early: 0, normal: 1, late: 2 } as const
const kinds: readonly HookKind[] = ['transform', 'gate', 'observe', 'around']
const known: { readonly [K in keyof Required<HookOptions>]: true } = {
  id: true,
  kind: true,
  phase: true,
  priority: true,
  timeoutMs: true,
  match: true,
  scope: true,
  critical: true,
  auditOnly: true,
}

/** @throws TypeError naming the option that does not fit. */
export function makeRegistration(
  event: string,
  handler: unknown,
  options: HookOptions,
  sequence: number,
): Registration {
  if (typeof handler !== 'function') {
    throw new TypeError(`The handler of a hook on "${event}" must be a function.`)
  }
  // An option that is misspelt would be as good as none: a guard of nothing, an audit that blocks.
  for (const key of Object.keys(options)) {
    if (!Object.hasOwn(known, key))
      refuse(event, key, 'unknown', `one of ${Object.keys(known).join(', ')}`)
  }
  const { kind, phase, priority, timeoutMs, id, match, scope } = options
  for (const [name, given] of Object.entries({ match, scope })) {
    if (given !== undefined && typeof given !== 'string') refuse(event, name, given, 'text')
  }
  if (kind !== undefined && !kinds.includes(kind)) refuse(event, 'kind', kind, kinds.join(', '))
  if (phase !== undefined && !(phase in phases))
    refuse(event, 'phase', phase, 'early, normal, late')
  if (priority !== undefined && !Number.isFinite(priority)) {
    refuse(event, 'priority', priority, 'a finite number')
  }
  if (timeoutMs !== undefined && !(Number.isFinite(timeoutMs) && timeoutMs >= 0)) {
    refuse(event, 'timeoutMs', timeoutMs, '0 (no bound) or more milliseconds')
  }
  return {
    id: id ?? `${event}#${sequence}`,
    event,
    handler: handler as Registration['handler'],
    options: Object.freeze({ ...options }),
    sequence,
    timeouts: [],
  }
}

function refuse(event: string, option: string, got: unknown, fits: string): never {
  throw new TypeError(`Hook on "${event}": ${option} is ${String(got)}; expected ${fits}.`)
}

/** Phase, then priority (high first), then registration. */
export function byOrder(a: Registration, b: Registration): number {
  return (
    phases[a.options.phase ?? 'normal'] - phases[b.options.phase ?? 'normal'] ||
    (b.options.priority ?? 0) - (a.options.priority ?? 0) ||
    a.sequence - b.sequence
  )
}
