import {
  InvalidOptionsError,
  ToolError,
  type AdapterInstance,
  type BoundAdapter,
  type Ports,
  type ToolDefinition,
} from '@callgate/spec'

import type { AdapterHealth } from '../options.ts'
import { whenRejected } from '../pipeline/maybe.ts'
import type { Registry } from '../registry/registry.ts'
import { textOfThrown } from '../results/thrown.ts'
import type { Bounds } from '../turn/or-stopped.ts'
import { StopSource } from '../turn/stop.ts'
import { awayMs, createDiscovery, type Discovery } from './discovery.ts'
import { createHealthMonitor, type HealthMonitor } from './health-checks.ts'
import { setIdleTimeout } from './idle-timeout.ts'
import { makeAdapterHost, type Lent } from './make-adapter-host.ts'
import { within } from './within.ts'

/** A start that takes longer has failed; the first start of a package runner loads the package. */
const startMs = 180_000
const stopGraceMs = 3000
/** With what an adapter does beyond the grace it is given. */
const stopMs = 5000
const healthMs = 5000

/** What the adapters of one gateway have in common. */
export interface Surroundings extends Lent {
  readonly clock: Ports['clock']
  /** Told when an adapter has come up, or why it is down. */
  readonly onState: (adapter: string, down?: string) => void
}

/** One adapter from its making to its stop. */
export class HostedAdapter {
  readonly #bound: BoundAdapter
  readonly #around: Surroundings
  readonly #registry: () => Registry | undefined
  readonly #instance: AdapterInstance
  readonly #discovery: Discovery
  readonly #monitor: HealthMonitor
  readonly #stop = new StopSource()
  #state: 'new' | 'ready' | 'failed' | 'closed' = 'new'
  /** Why the last start failed. */
  #reason: string | undefined
  #starting: Promise<void> | undefined
  /** The first part of a start. */
  #rising: Promise<void> | undefined
  #again: unknown

  /** Takes besides where its tools stand, which is known once the gateway is started. */
  constructor(bound: BoundAdapter, around: Surroundings, registry: () => Registry | undefined) {
    const stop = this.#stop
    this.#bound = bound
    this.#around = around
    this.#registry = registry
    this.#instance = bound.create(makeAdapterHost(bound.name, around, () => void this.#refresh()))
    if (typeof this.#instance?.invoke !== 'function') throw withoutInvoke(bound.name)
    this.#discovery = createDiscovery(bound.name, this.#instance, { ...around, stop })
    this.#monitor = createHealthMonitor(
      this.#instance,
      () => this.#healthChecks(),
      { clock: around.clock, stop },
      (down) => this.#tellHealth(down),
    )
  }

  /** Lets the adapter refuse a declared tool. @throws InvalidToolError */
  accept(tool: ToolDefinition): void {
    // It has to answer at once; who does not must not end the program.
    whenRejected(this.#instance.accept?.(tool), (error) => {
      const reason = textOfThrown(error)
      this.#around.log.error(`adapter "${this.#bound.name}" refused a tool too late`, { reason })
    })
  }

  /** The instance, started first where it is not. @throws ToolError `backend_unavailable` when it does not start. */
  running(): AdapterInstance | Promise<AdapterInstance> {
    const { trouble } = this.#monitor
    if (trouble !== undefined) throw unavailable(this.#bound.name, new Error(trouble))
    if (this.#state === 'ready') return this.#instance
    if (this.#state === 'closed') throw unavailable(this.#bound.name, new Error('it is closed'))
    // Its list of tools, which may take long, is nothing that a call has to wait for.
    void this.start().catch(() => {})
    return this.#bringUp().then(
      () => this.#instance,
      (error: unknown) => {
        throw ToolError.isInstance(error) ? error : unavailable(this.#bound.name, error)
      },
    )
  }

  /** Brings it up, with its tools; asked for meanwhile, it is the same start. Rejects with what the adapter threw. */
  start(): Promise<void> {
    this.#starting ??= this.#startOnce().finally(() => {
      this.#starting = undefined
    })
    return this.#starting
  }

  /** Begins with the health checks, where its tools want them; one that is new at its own interval in milliseconds. */
  watch(intervalMs: number = Infinity): void {
    if (this.#state === 'ready') this.#monitor.start(intervalMs)
  }

  async close(): Promise<void> {
    this.#state = 'closed'
    this.#monitor.stop()
    this.#startAgainIn(undefined)
    this.#stop.stop(new Error('the gateway is closed'))
    await this.#putAway()
  }

  async health(): Promise<AdapterHealth> {
    const about = {
      adapter: this.#bound.name,
      // Nobody checked the definition: in plain JavaScript it may say nothing.
      isolation: this.#bound.definition.capabilities?.isolation ?? 'unknown',
    }
    if (this.#state === 'new' || this.#state === 'closed') return { ...about, state: 'not started' }
    const trouble = this.#state === 'failed' ? this.#reason : this.#monitor.trouble
    if (trouble !== undefined) return { ...about, state: 'down', reason: trouble }
    try {
      const health = (await within(this.#bounds('its answer', healthMs), (signal) =>
        this.#instance.health?.(signal),
      )) ?? { state: 'ok' as const }
      // Its answer says how it is, and not who: that is for its definition.
      return { ...withTrouble(health, this.#discovery.trouble), ...about }
    } catch (error) {
      return { ...about, state: 'down', reason: textOfThrown(error) }
    }
  }

  async #startOnce(): Promise<void> {
    // A call may have started it before the gateway was.
    if (this.#state !== 'ready') await this.#bringUp()
    await this.#refresh()
    this.watch()
  }

  #bringUp(): Promise<void> {
    this.#rising ??= this.#bringUpOnce().finally(() => {
      this.#rising = undefined
    })
    return this.#rising
  }

  async #bringUpOnce(): Promise<void> {
    const { onState, log } = this.#around
    const { name } = this.#bound
    try {
      await within(this.#bounds('its start', startMs), async (signal) => {
        await this.#instance.start?.(signal)
        // A gateway may be closed at any time: now it came up when nobody waited any more.
        if (this.#stop.stopped) await this.#putAway()
      })
      if (this.#state === 'closed') throw new Error('the gateway was closed meanwhile')
      this.#state = 'ready'
      this.#reason = undefined
      onState(name)
    } catch (error) {
      if (this.#state === 'closed') throw error
      const reason = textOfThrown(error)
      // It is tried again and again, which is told once.
      const isTold = this.#state === 'failed' && this.#reason === reason
      this.#state = 'failed'
      this.#reason = reason
      if (!isTold) {
        log.error(`adapter "${name}" did not start`, { reason })
        onState(name, reason)
      }
      if (this.#registry() !== undefined) this.#startAgainIn(awayMs)
      throw error
    }
  }

  /** By itself: tools that nobody knows are called by nobody. Undefined: not again. */
  #startAgainIn(ms: number | undefined): void {
    const { clock } = this.#around
    if (this.#again !== undefined) clock.clearTimeout(this.#again)
    const start = (): void => void this.start().catch(() => {})
    this.#again = ms === undefined ? undefined : setIdleTimeout(clock, start, ms)
  }

  #putAway(): Promise<void> {
    const { clock } = this.#around
    return within({ what: 'its stop', ms: stopMs, clock }, () =>
      this.#instance.stop?.({ graceMs: stopGraceMs }),
    )
  }

  #bounds(what: string, ms: number): Bounds {
    return { what, ms, clock: this.#around.clock, stop: this.#stop }
  }

  async #refresh(): Promise<void> {
    const registry = this.#registry()
    if (registry === undefined || this.#state !== 'ready') return
    await this.#discovery.run(registry)
    if (this.#state === 'ready') this.#startAgainIn(this.#discovery.againMs)
  }

  #healthChecks(): readonly NonNullable<ToolDefinition['healthCheck']>[] {
    const tools = [...(this.#registry()?.entries() ?? [])]
    return tools.flatMap(({ definition: { backend, healthCheck } }) =>
      backend.adapter === this.#bound.name && healthCheck !== undefined ? [healthCheck] : [],
    )
  }

  #tellHealth(down: string | undefined): void {
    const { name } = this.#bound
    const { log, onState } = this.#around
    log.warn(`the backend "${name}" is ${down === undefined ? 'well again' : 'unhealthy'}`, {
      reason: down,
    })
    onState(name, down)
  }
}

/** An adapter that is well, but some of whose tools are missing, is not all there. */
function withTrouble(
  health: Pick<AdapterHealth, 'state' | 'reason'>,
  trouble: string | undefined,
): Pick<AdapterHealth, 'state' | 'reason'> {
  if (trouble === undefined) return health
  return {
    ...health,
    state: health.state === 'ok' ? 'degraded' : health.state,
    reason: health.reason === undefined ? trouble : `${health.reason}; ${trouble}`,
  }
}

function unavailable(name: string, cause: unknown): ToolError {
  return new ToolError({
    code: 'backend_unavailable',
    message: `The backend "${name}" is not there.`,
    started: 'no',
    cause,
  })
}

function withoutInvoke(name: string): InvalidOptionsError {
  return new InvalidOptionsError({
    rule: 'adapter-instance',
    where: name,
    message: `What the adapter "${name}" creates has no function "invoke".`,
    hint: 'Give back { invoke } at least from create, and no promise of it.',
  })
}
