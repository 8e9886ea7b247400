import { createCoercer } from '@callgate/coercion'
import {
  CallgateError,
  InvalidOptionsError,
  isBoundAdapter,
  ToolError,
  type AdapterHost,
  type AdapterInstance,
  type BoundAdapter,
  type FieldFault,
  type JsonSchema,
  type Logger,
  type Ports,
  type ToolDefinition,
} from '@callgate/spec'

import type { AdapterHealth } from '../options.ts'
import { whenRejected } from '../pipeline/maybe.ts'
import type { Registry } from '../registry/registry.ts'
import { builtInAdapters } from '../registry/tool-entry.ts'
import type { Redactor } from '../results/redact.ts'
import { textOfThrown } from '../results/thrown.ts'
import { createDiscovery, type Discovery } from './discovery.ts'
import { createHealthMonitor, type HealthMonitor } from './health-checks.ts'
import { within } from './within.ts'

/** A start that takes longer has failed; the first start of a package runner loads the package. */
const startMs = 180_000
const stopGraceMs = 3000
/** With what an adapter does beyond the grace it is given. */
const stopMs = 5000
const healthMs = 5000

export interface HostOptions {
  readonly adapters: readonly BoundAdapter[]
  readonly log: Logger
  readonly secrets: ((name: string) => string | undefined) | undefined
  readonly redactor: Redactor
  readonly clock: Ports['clock']
  /** Told when an adapter has come up, or why it is down. */
  readonly onState: (adapter: string, down?: string) => void
}

/** The adapters of one gateway and how each of them is. One that fails leaves the rest alone. */
export interface AdapterHosts {
  has(name: string): boolean
  /** Lets the adapter of a declared tool refuse it. @throws InvalidToolError */
  accept(tool: ToolDefinition): void
  /** The running instance. @throws ToolError `backend_unavailable` when it does not start. */
  running(name: string): AdapterInstance | Promise<AdapterInstance>
  start(registry: Registry): Promise<void>
  health(): Promise<readonly AdapterHealth[]>
  close(): Promise<void>
}

interface Hosted {
  readonly bound: BoundAdapter
  readonly instance: AdapterInstance
  readonly discovery: Discovery
  readonly monitor: HealthMonitor
  state: 'new' | 'ready' | 'failed' | 'closed'
  reason?: string
  starting?: Promise<void>
}

export function createAdapterHosts(options: HostOptions): AdapterHosts {
  const hosted = new Map<string, Hosted>()
  const { log } = options
  let registry: Registry | undefined
  for (const bound of options.adapters) {
    checkAdapter(bound, hosted)
    const host: AdapterHost = {
      log: logOf(bound.name, log),
      validator,
      secret: (name) => secretOf(name, options),
      toolsChanged: () => void refresh(hosted.get(bound.name)!),
    }
    const instance = bound.create(host)
    hosted.set(bound.name, {
      bound,
      instance,
      discovery: createDiscovery(bound.name, instance, options),
      monitor: createHealthMonitor(
        instance,
        () => checksOf(bound.name),
        options.clock,
        (down) => tellHealth(bound.name, down),
      ),
      state: 'new',
    })
  }

  function tellHealth(name: string, down: string | undefined): void {
    log.warn(`the backend "${name}" is ${down === undefined ? 'well again' : 'unhealthy'}`, {
      reason: down,
    })
    options.onState(name, down)
  }

  function checksOf(name: string): readonly NonNullable<ToolDefinition['healthCheck']>[] {
    const tools = [...(registry?.entries() ?? [])].map(({ definition }) => definition)
    return tools.flatMap(({ backend, healthCheck }) =>
      backend.adapter === name && healthCheck !== undefined ? [healthCheck] : [],
    )
  }

  async function refresh(adapter: Hosted): Promise<void> {
    if (registry === undefined || adapter.state !== 'ready') return
    await adapter.discovery.run(registry)
  }

  function putAway({ instance }: Hosted): Promise<void> {
    return within(options.clock, { ms: stopMs, what: 'its stop' }, () =>
      instance.stop?.({ graceMs: stopGraceMs }),
    )
  }

  function start(adapter: Hosted): Promise<void> {
    adapter.starting ??= startOnce(adapter).finally(() => {
      delete adapter.starting
    })
    return adapter.starting
  }

  async function startOnce(adapter: Hosted): Promise<void> {
    try {
      // A call may have started it before the gateway was.
      if (adapter.state !== 'ready') {
        await within(options.clock, { ms: startMs, what: 'its start' }, (signal) =>
          adapter.instance.start?.(signal),
        )
        if (isClosed(adapter)) {
          // It came up when nobody waited any more.
          await putAway(adapter)
          throw new Error('the gateway was closed meanwhile')
        }
      }
      const wasUp = adapter.state === 'ready'
      adapter.state = 'ready'
      delete adapter.reason
      if (!wasUp) options.onState(adapter.bound.name)
    } catch (error) {
      if (isClosed(adapter)) throw error
      adapter.state = 'failed'
      adapter.reason = textOfThrown(error)
      log.error(`adapter "${adapter.bound.name}" did not start`, { reason: adapter.reason })
      options.onState(adapter.bound.name, adapter.reason)
      throw error
    }
    await refresh(adapter)
    adapter.monitor.start()
  }

  return {
    has: (name) => hosted.has(name),
    accept: (tool) => hosted.get(tool.backend.adapter)?.instance.accept?.(tool),
    running(name) {
      const adapter = hosted.get(name)!
      const { trouble } = adapter.monitor
      if (trouble !== undefined) throw unavailable(name, new Error(trouble))
      if (adapter.state === 'ready') return adapter.instance
      return start(adapter).then(
        () => adapter.instance,
        (error: unknown) => {
          throw ToolError.isInstance(error) ? error : unavailable(name, error)
        },
      )
    },
    async start(into) {
      registry = into
      await Promise.allSettled([...hosted.values()].map((adapter) => start(adapter)))
    },
    health: () =>
      Promise.all([...hosted.values()].map((adapter) => healthOf(adapter, options.clock))),
    async close() {
      await Promise.allSettled(
        [...hosted.values()].map(async (adapter) => {
          adapter.state = 'closed'
          adapter.monitor.stop()
          adapter.discovery.stop()
          await putAway(adapter)
        }),
      )
    },
  }
}

/** Also while it comes up: a gateway may be closed at any time. */
function isClosed({ state }: Hosted): boolean {
  return state === 'closed'
}

/** An adapter does not know the name it was bound under: the log says which of several wrote. */
function logOf(adapter: string, log: Logger): Logger {
  const named =
    (level: keyof Logger) =>
    (message: string, fields?: object): void =>
      log[level](message, { adapter, ...fields })
  return {
    debug: named('debug'),
    info: named('info'),
    warn: named('warn'),
    error: named('error'),
  }
}

function checkAdapter(bound: BoundAdapter, hosted: ReadonlyMap<string, Hosted>): void {
  if (!isBoundAdapter(bound)) {
    throw new InvalidOptionsError({
      rule: 'adapter-brand',
      where: 'adapters',
      message: 'An entry of `adapters` was not made by defineAdapter.',
      hint: 'Call the adapter with its options, for example cliAdapter({}).',
    })
  }
  if (!hosted.has(bound.name) && !builtInAdapters.has(bound.name)) return
  throw new InvalidOptionsError({
    rule: 'adapter-duplicate',
    where: bound.name,
    message: `Two adapters are named "${bound.name}".`,
    hint: 'Give one of them another name in its options.',
  })
}

async function healthOf(
  { bound, instance, discovery, monitor, state, reason }: Hosted,
  clock: Ports['clock'],
): Promise<AdapterHealth> {
  const about = {
    adapter: bound.name,
    isolation: bound.definition.capabilities.isolation ?? 'unknown',
  }
  if (state === 'new' || state === 'closed') return { ...about, state: 'not started' }
  if (state === 'failed')
    return { ...about, state: 'down', ...(reason === undefined ? {} : { reason }) }
  if (monitor.trouble !== undefined) return { ...about, state: 'down', reason: monitor.trouble }
  try {
    const health = (await within(clock, { ms: healthMs, what: 'its answer' }, (signal) =>
      instance.health?.(signal),
    )) ?? { state: 'ok' as const }
    return { ...about, ...withTrouble(health, discovery.trouble) }
  } catch (error) {
    return {
      ...about,
      state: 'down',
      reason: textOfThrown(error),
    }
  }
}

/** An adapter that is well, but some of whose tools are missing, is not all there. */
function withTrouble(
  health: Pick<AdapterHealth, 'state' | 'reason'>,
  trouble: string | undefined,
): Pick<AdapterHealth, 'state' | 'reason'> {
  if (trouble === undefined) return health
  return {
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

/** Faults of a value against a schema. A value that would first have to be repaired does not fit. */
function validator(schema: JsonSchema): (value: unknown) => readonly FieldFault[] {
  const coercer = createCoercer(schema)
  return (value) => {
    const { valid, errors, repairs } = coercer.coerce(value)
    const repaired = repairs.map(({ path, from, to, rule }) => ({
      path,
      constraint: rule,
      got: JSON.stringify(from) ?? 'nothing',
      expected: JSON.stringify(to) ?? 'nothing',
    }))
    return valid ? repaired : [...errors, ...repaired]
  }
}

function secretOf(name: string, { secrets, redactor }: HostOptions): string {
  const value: unknown = secrets?.(name)
  whenRejected(value, () => {})
  if (typeof value !== 'string') {
    throw new CallgateError({
      code: 'invalid_arguments',
      rule: 'secret-missing',
      where: name,
      message: `The secret ${name} is ${value === undefined ? 'not set' : 'no text'}.`,
      hint: `Set ${name} where the gateway looks for secrets (the option \`secrets\`).`,
    })
  }
  redactor.learn(value)
  return value
}
