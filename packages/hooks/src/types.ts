/** How the answers of the handlers of one event combine. */
export type HookKind = 'transform' | 'gate' | 'observe' | 'around'

export interface HookOptions {
  /** A name for traces and messages; it decides nothing. Default: made from the event and a number. */
  readonly id?: string
  readonly kind?: HookKind
  readonly phase?: 'early' | 'normal' | 'late'
  /** High first; then registration order. */
  readonly priority?: number
  /** Milliseconds for one answer; 0 = no bound. Default: the bus's. */
  readonly timeoutMs?: number
  /** Glob on the subject, a tool id. The core reports a pattern that matches no known tool. */
  readonly match?: string
  /** Only what happens in this scope or below it (`team` covers `team/agent`); default everywhere. */
  readonly scope?: string
  /** On a result transform: its failure withholds the result. */
  readonly critical?: boolean
  /** Records what it would have done. */
  readonly auditOnly?: boolean
}

/** What a bus needs of an event: its payload, and what the handlers of each kind may return. */
export type EventMap<Events> = { [E in keyof Events]: { payload: object } }

type Returned<E, K extends string> = E extends { [P in K]: infer R } ? R | Promise<R> : never

export type HookReturn<E> =
  | Returned<E, 'transform'>
  | Returned<E, 'gate'>
  | Returned<E, 'around'>
  | (E extends { gate: unknown } | { transform: unknown } | { around: unknown }
      ? never
      : void | Promise<void>)

/** What a fault of a handler does: refuse the subject, keep the value before it, or nothing. */
export type FaultRule = 'block' | 'keep' | 'ignore'

export interface EventRule {
  readonly kind: HookKind
  readonly fault: FaultRule
  /** Milliseconds for one answer to this event, where neither the hook nor the bus says another. Default 5000. */
  readonly timeoutMs?: number
}

/** Time as the bus sees it, in milliseconds; tests bring their own. */
export interface HookClock {
  now(): number
  setTimeout(run: () => void, ms: number): unknown
  clearTimeout(timer: unknown): void
}

export interface HookRunOptions<Payload> {
  /** What `match` is compared with. */
  readonly subject?: string
  /** For an event about many: a hook hears of it whose `match` covers one of them. */
  readonly subjects?: readonly string[]
  /** Where it happens, from the outside in, parted by `/`. */
  readonly scope?: string
  /** Puts a transform's change into the payload and checks it; a throw is a fault of that hook. */
  readonly apply?: (payload: Payload, change: unknown) => Payload | Promise<Payload>
  /** Leaves the transforms out: what they made was settled before (a resumed approval). */
  readonly settled?: boolean
  /** The payload, and what `apply` makes of it, is deeply frozen by the caller: the bus need not look. */
  readonly frozen?: boolean
  /** Milliseconds, from whenever on, that passed and are no time of a hook: of a person who was asked inside it. */
  readonly waitedMs?: () => number
}

export interface HookTrace {
  readonly hook: string
  readonly kind: HookKind
  readonly ms: number
  readonly decision?: string
  readonly fault?: string
}

export interface HookOutcome<Payload> {
  readonly payload: Payload
  readonly decision: 'allow' | 'ask' | 'block' | 'none'
  readonly asks: readonly {
    readonly hook: string
    readonly message?: string
    readonly rule?: string
  }[]
  readonly blockedBy?: {
    readonly hook: string
    readonly message?: string
    readonly fault?: unknown
  }
  readonly trace: readonly HookTrace[]
  /** A critical transform that failed: the value must be withheld. */
  readonly withheldBy?: { readonly hook: string; readonly fault: unknown }
  /** Around hooks only: what the outermost one returned. */
  readonly value?: unknown
  /** Around hooks only: what the innermost function threw, unless a hook made a value of it. */
  readonly thrown?: { readonly error: unknown }
}

export interface HookBus<Events extends EventMap<Events>> {
  on<E extends keyof Events & string>(
    event: E,
    handler: (payload: Events[E]['payload']) => HookReturn<Events[E]>,
    options?: HookOptions,
  ): () => void
  /** The default kind and the fault rule of an event. createGateway declares those of CallgateEvents. */
  declare(event: keyof Events & string, rule: EventRule): void
  /**
   * Fires an event. `subject` is what `match` is compared with; `apply` puts a transform's change into the payload and
   * checks it. Rejects with a TypeError for a payload that is no object and for options that do not fit.
   */
  run<E extends keyof Events & string>(
    event: E,
    payload: Events[E]['payload'],
    options?: HookRunOptions<Events[E]['payload']>,
  ): Promise<HookOutcome<Events[E]['payload']>>
  /** As `run`, but answers at once where no handler returned a promise, and throws what does not fit. */
  fire<E extends keyof Events & string>(
    event: E,
    payload: Events[E]['payload'],
    options?: HookRunOptions<Events[E]['payload']>,
  ): HookOutcome<Events[E]['payload']> | Promise<HookOutcome<Events[E]['payload']>>
  /** Whether any handler listens to the event: lets a caller save making the payload. */
  has(event: keyof Events & string): boolean
  list(): readonly (HookOptions & { readonly event: string })[]
  /** Resolves when all observers have settled. */
  idle(): Promise<void>
}

export interface HookBusOptions {
  /** Milliseconds for one answer of one handler; 0 = no bound. Default 5000. */
  readonly timeoutMs?: number
  readonly clock?: HookClock
}
