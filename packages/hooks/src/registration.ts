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
const isText = (value: unknown): boolean => typeof value === 'string'
const isFlag = (value: unknown): boolean => typeof value === 'boolean'

/** Every option, what fits and whether a value does. */
const known: {
  readonly [K in keyof Required<HookOptions>]: readonly [
    fits: string,
    test: (value: unknown) => boolean,
  ]
} = {
  id: ['text', isText],
  kind: [kinds.join(', '), (value) => kinds.includes(value as HookKind)],
  phase: [
    'early, normal, late',
    (value) => isText(value) && Object.hasOwn(phases, value as string),
  ],
  priority: ['a finite number', (value) => Number.isFinite(value)],
  timeoutMs: [
    '0 (no bound) or more milliseconds',
    (value) => Number.isFinite(value) && (value as number) >= 0,
  ],
  match: ['text', isText],
  scope: ['text', isText],
  critical: ['true or false', isFlag],
  auditOnly: ['true or false', isFlag],
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
  checkOptions(event, options)
  return {
    id: options.id ?? `${event}#${sequence}`,
    event,
    handler: handler as Registration['handler'],
    options: Object.freeze({ ...options }),
    sequence,
    timeouts: [],
  }
}

/** An option that is misspelt would be as good as none: a guard of nothing, an audit that blocks. */
function checkOptions(event: string, options: HookOptions): void {
  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(known, name) ? known[name as keyof HookOptions] : undefined
    if (check === undefined)
      refuse(event, name, 'unknown', `one of ${Object.keys(known).join(', ')}`)
    const [fits, test] = check
    if (value !== undefined && !test(value)) refuse(event, name, value, fits)
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
