import { createHookBus, type HookBus } from '@callgate/hooks'
import type { CallContext, CallgateEvents, Logger, ToolCallIn, ToolResult } from '@callgate/spec'

import { createAdapterHosts } from './adapters/adapter-hosts.ts'
import { makeBridgeEntries } from './bridge/bridge-tools.ts'
import { effectiveId } from './bridge/effective-id.ts'
import { modelTools } from './bridge/model-tools.ts'
import { runConnectors } from './bridge/run-connectors.ts'
import { checkOptions } from './check-options.ts'
import { declareEvents } from './declare-events.ts'
import { gatewayRegistry } from './gateway-registry.ts'
import type { AdapterHealth, Gateway, GatewayOptions, PolicyOptions } from './options.ts'
import { openCall, type Call, type Lineage } from './pipeline/call.ts'
import { explainCall } from './pipeline/explain.ts'
import { whenRejected, type Maybe } from './pipeline/maybe.ts'
import { runCall } from './pipeline/pipeline.ts'
import { resumeCall } from './pipeline/resume.ts'
import type { Services, Settings } from './pipeline/services.ts'
import { createBreakers } from './policy/breakers.ts'
import { checkedRisk } from './policy/checked-risk.ts'
import { createGuardrails } from './policy/guardrails.ts'
import { createLimits } from './policy/limits.ts'
import { createPins } from './policy/pins.ts'
import { createReplans } from './policy/replans.ts'
import { assessRisk } from './policy/risk.ts'
import { createVisibility } from './policy/roles.ts'
import { createTickets } from './policy/tickets.ts'
import { completePorts } from './ports/ports.ts'
import { addAllOwn } from './registry/own-tools.ts'
import { createRegistry, type Registry } from './registry/registry.ts'
import { reportUnmatched } from './report-unmatched.ts'
import { failure } from './results/failure.ts'
import { createRedactor, type Redactor } from './results/redact.ts'
import { createSpills } from './results/spills.ts'
import { textOfThrown } from './results/thrown.ts'
import { contextOf } from './turn/context.ts'
import { GatewayClosed } from './turn/gateway-closed.ts'
import { createInFlight } from './turn/in-flight.ts'
import { bounded } from './turn/or-stopped.ts'
import { prepare } from './turn/prepare.ts'
import { runTurn } from './turn/run-turn.ts'
import { StopSource, stopOf, type Stop } from './turn/stop.ts'

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/** A call made inside a call made inside a call … ends here. */
const maxDepth = 8
/** So many milliseconds a gateway that closes waits for observers. */
const idleMs = 10_000
const tooDeepText = `Calls made inside calls may go ${maxDepth} deep.`

/**
 * Makes a gateway: the registry of tools and the one path by which they are called.
 *
 * Takes tools, adapters, hooks, policy and ports; gives an object with a life: `start` it to bring up the adapters,
 * `close` it when done. Does no I/O by itself.
 *
 * @throws CallgateError when options or tools do not fit, naming the rule, the place and what to do.
 */
export function createGateway(options: GatewayOptions = {}): Gateway {
  checkOptions(options)
  const root = new StopSource()
  const services = makeServices(options, root)
  const { registry, bus, adapters, redactor, ports, log } = services
  addAllOwn(registry, options.tools ?? [])
  if (ports.approvals.durable && options.ticketKey === undefined) {
    log.warn('no ticketKey signs the approvals: who can write to their store can forge one')
  }
  const inFlight = createInFlight()
  const adapterNames = (options.adapters ?? []).map(({ name }) => name)
  let closed: Promise<void> | undefined
  let reported = false

  /** Also where nobody starts the gateway; what an adapter discovers is then not known yet. */
  function reportHooks(): void {
    reported = true
    silently(() => reportUnmatched(services, adapterNames.length === 0))
  }

  async function close(): Promise<void> {
    root.stop(new GatewayClosed())
    await inFlight.settled()
    void bus.run('gateway_stop', { adapters: adapterNames })
    await observersIdle(services)
    await adapters.close()
  }

  return {
    registry: gatewayRegistry(services),
    dispatch(call, context = {}) {
      if (!reported) reportHooks()
      return inFlight.track(() => dispatch(call, context, services))
    },
    runTurn(turn, context = {}) {
      if (!reported) reportHooks()
      return inFlight.track(() => runTurn(turn, context, services))
    },
    resume: (ticketId, decision) => inFlight.track(() => resumeCall(ticketId, decision, services)),
    explain: (call, context = {}) => explain(call, context, services),
    modelTools: (context = {}) => modelTools(contextOf(context), services),
    health: async () => redactor.value(await adapters.health()) as readonly AdapterHealth[],
    async start() {
      if (closed !== undefined) throw new GatewayClosed()
      await adapters.start(registry)
      if (root.stopped) return
      void bus.run('gateway_start', { adapters: adapterNames })
      reported = true
      reportUnmatched(services, true)
    },
    close: () => (closed ??= close()),
  }
}

/** An observer may have no time limit of its own. */
async function observersIdle({ bus, ports, log }: Services): Promise<void> {
  const { clock } = ports
  try {
    await bounded(bus.idle(), { what: 'the observers', ms: idleMs, clock })
  } catch (error) {
    log.warn('the gateway is closed while observers still run', { error: textOfThrown(error) })
  }
}

function makeServices(options: GatewayOptions, stop: StopSource): Services {
  const ports = completePorts(options.ports)
  const redactor = createRedactor()
  const log = withoutSecrets(options.log ?? silent, redactor)
  const policy = options.policy ?? {}
  const resultCapBytes = capBytes(policy)
  const guardrails = createGuardrails(policy)
  const spills = createSpills(ports, resultCapBytes, redactor)
  const visibility = createVisibility(policy.roles)
  const bus: HookBus<CallgateEvents> =
    options.hooks ?? createHookBus<CallgateEvents>({ clock: ports.clock })
  declareEvents(bus)
  const adapters = createAdapterHosts({
    adapters: options.adapters ?? [],
    log,
    secrets: options.secrets,
    redactor,
    clock: ports.clock,
    onState(adapter, reason) {
      if (reason === undefined) void bus.run('adapter_up', { adapter })
      else void bus.run('adapter_down', { adapter, reason: redactor.text(reason) })
    },
  })
  const registry: Registry = createRegistry({
    visibility,
    reserved: makeBridgeEntries(() => services, spills),
    accept: (tool) => adapters.accept(tool),
    notWhole: ({ id, unchecked }) =>
      log.warn(`arguments of ${id} are not checked against all that its schema says`, {
        unchecked,
      }),
    listenerFailed: (error, id) =>
      log.error('a listener of the registry failed', { tool: id, error: textOfThrown(error) }),
  })
  const services: Services = {
    ports,
    bus,
    registry,
    visibility,
    adapters,
    guardrails,
    limits: createLimits(ports.clock, policy.limits, policy.adapterConcurrency),
    breakers: createBreakers(ports.clock),
    pins: createPins(policy.pinned, policy.pinDiscovered === true),
    replans: createReplans(registry, policy.maxReplans ?? 2),
    tickets: createTickets(options.ticketKey),
    redactor,
    spills,
    log,
    approver: options.approver,
    settings: settingsOf(policy, resultCapBytes),
    stop,
    assess: policy.risk === undefined ? assessRisk : checkedRisk(policy, log),
    nested: (call, parent, until, isStep = false) =>
      runNested(call, { depth: parent.lineage.depth + 1, parent, isStep }, until, services),
  }
  return services
}

function settingsOf(policy: PolicyOptions, resultCapBytes: number): Settings {
  return {
    timeoutMs: policy.timeoutMs ?? 30_000,
    resultCapBytes,
    approvalTimeoutMs: policy.approvalTimeoutMs ?? 300_000,
    turnConcurrency: policy.turnConcurrency ?? 16,
    maxCallsPerTurn: policy.maxCallsPerTurn ?? Infinity,
    splitFaultyBatches: policy.splitFaultyBatches === true,
    directUnderTokens: policy.directUnderTokens ?? 0,
    listingTokens: Math.min(policy.listingTokens ?? 4000, (policy.contextTokens ?? 10_000) / 20),
  }
}

/** A log that fails must not fail what it tells of. */
function silently(run: () => unknown): void {
  try {
    whenRejected(run(), () => {})
  } catch {
    // There is nobody left to tell.
  }
}

function withoutSecrets(log: Logger, redactor: Redactor): Logger {
  const clean =
    (level: keyof Logger) =>
    (message: string, fields?: object): void =>
      silently(() =>
        log[level](
          redactor.logged(message) as string,
          redactor.logged(fields) as object | undefined,
        ),
      )
  return {
    debug: clean('debug'),
    info: clean('info'),
    warn: clean('warn'),
    error: clean('error'),
  }
}

/** A token is taken for four bytes, as is usual where the model's own counting is not at hand. */
function capBytes({ resultCapBytes = 100_000, resultCapTokens = Infinity }: PolicyOptions): number {
  return Math.min(resultCapBytes, resultCapTokens * 4)
}

function dispatch(call: ToolCallIn, given: CallContext, services: Services): Maybe<ToolResult> {
  return runPrepared(
    call,
    contextOf(given),
    { depth: 0 },
    stopOf(given.signal, services.stop),
    services,
  )
}

/** A call that a hook or a tool makes: the whole pipeline again, with the caller as its parent. */
async function runNested(
  call: ToolCallIn,
  inside: Lineage & { readonly parent: Call },
  stop: Stop,
  services: Services,
): Promise<ToolResult> {
  const { parent } = inside
  // Its own parent was refused for its depth: an observer that calls tools in a circle must end.
  if (parent.lineage.depth > maxDepth) throw new Error(tooDeepText)
  const lineage = { ...inside, parentCallId: parent.callId }
  return runPrepared(call, parent.context, lineage, new StopSource(stop), services)
}

function runPrepared(
  call: ToolCallIn,
  context: CallContext,
  lineage: Lineage,
  stop: StopSource,
  services: Services,
): Maybe<ToolResult> {
  const prepared = prepare(call)
  const callId = (isCall(call) ? effectiveId(call) : '') || services.ports.ids.next('call')
  if (prepared.kind === 'connectors') {
    return runConnectors(prepared.entries, { callId, lineage, context, stop }, services)
  }
  const tooDeep =
    lineage.depth > maxDepth
      ? failure('rate_limited', tooDeepText, { rule: 'call-depth' })
      : undefined
  const { name, arguments: args, malformed = tooDeep } = prepared
  return runCall(
    { callId, input: { name, arguments: args }, context, lineage, stop, malformed },
    services,
  )
}

function isCall(call: unknown): call is ToolCallIn {
  return typeof call === 'object' && call !== null
}

async function explain(
  call: ToolCallIn,
  given: CallContext,
  services: Services,
): ReturnType<Gateway['explain']> {
  const prepared = prepare(call)
  if (prepared.kind === 'connectors') {
    const explained = await Promise.all(
      prepared.entries.map((entry) => explain(entry, given, services)),
    )
    const order = ['deny', 'ask', 'allow'] as const
    return explained.toSorted((a, b) => order.indexOf(a.decision) - order.indexOf(b.decision))[0]!
  }
  const { name, arguments: args, malformed } = prepared
  const context = contextOf(given)
  const stop = stopOf(context.signal, services.stop)
  const opened = openCall(
    {
      callId: 'explain',
      input: { name, arguments: args },
      context,
      lineage: { depth: 0 },
      stop,
      malformed,
    },
    services.ports.clock.now(),
  )
  try {
    return await explainCall(opened, services)
  } finally {
    stop.release()
  }
}
