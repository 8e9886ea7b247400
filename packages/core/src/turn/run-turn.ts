import {
  InvalidOptionsError,
  type AssistantTurn,
  type CallContext,
  type ToolCallIn,
  type ToolResult,
} from '@callgate/spec'

import { toolCall } from '../bridge/bridge-names.ts'
import { effectiveId } from '../bridge/effective-id.ts'
import { expandTurn, type Expansion, type Origin } from '../bridge/expand.ts'
import { runConnectors } from '../bridge/run-connectors.ts'
import type { Lineage, TurnMark } from '../pipeline/call.ts'
import { isPromiseLike, type Maybe } from '../pipeline/maybe.ts'
import { runCall } from '../pipeline/pipeline.ts'
import { scopeOf } from '../pipeline/scope.ts'
import type { Services } from '../pipeline/services.ts'
import { readableArguments } from '../pipeline/validation.ts'
import { failure, type Failure } from '../results/failure.ts'
import { freezeOwn } from '../results/freeze-own.ts'
import { frozenCopy } from '../results/frozen-copy.ts'
import { textOfThrown } from '../results/thrown.ts'
import { Breather } from './breather.ts'
import { contextOf } from './context.ts'
import { orStopped } from './or-stopped.ts'
import { planTurn, type Planned, type Segment } from './plan.ts'
import { prepare, type Prepared } from './prepare.ts'
import { StopSource, stopOf } from './stop.ts'

export interface TurnOutcome {
  readonly turn: AssistantTurn
  readonly results: readonly ToolResult[]
}

/** One call of a turn, ready to run. */
interface Ready {
  readonly call: ToolCallIn
  readonly callId: string
  readonly lineage: Lineage
  readonly prepared: Prepared
}

/**
 * Runs the calls of one assistant message (R2): expands batches, lets the caller store the turn, runs the calls as
 * their tools allow, and gives one result per call, in call order. Never rejects for what a call, hook, tool,
 * adapter or callback did.
 */
export async function runTurn(
  turn: AssistantTurn,
  given: CallContext,
  services: Services,
): Promise<TurnOutcome> {
  checkTurn(turn)
  const context = contextOf(given)
  const stop = stopOf(given.signal, services.stop)
  if (services.bus.has('turn_start')) {
    const payload = Object.freeze({ turn: freezeOwn(seenTurn(turn)), context })
    void services.bus.run('turn_start', payload, { ...scopeOf(context), frozen: true })
  }
  const expansion = expandTurn(turn, services.settings.splitFaultyBatches)
  announceBatches(expansion, context, services)
  await store(expansion.turn, given, stop, services)
  // Not the turn itself: it would be kept for as long as its calls are remembered.
  const thisTurn: TurnMark = { slips: 0 }
  const ready = expansion.turn.toolCalls.map((call, index) =>
    makeReady(call, expansion.origins[index], thisTurn, services),
  )
  const { clock } = services.ports
  const over = services.replans.check(context, clock.now())
  const results = await runAll(
    over === undefined ? ready : refuseAll(ready, over),
    context,
    stop,
    services,
  )
  if (over === undefined) services.replans.record(context, results, clock.now())
  stop.release()
  if (services.bus.has('turn_end')) {
    const payload = Object.freeze({ results: freezeOwn(results), context })
    void services.bus.run('turn_end', payload, { ...scopeOf(context), frozen: true })
  }
  return { turn: expansion.turn, results }
}

/** Hooks get what is frozen, and the caller's own turn is the caller's. What nobody can copy nobody is shown. */
function seenTurn(turn: AssistantTurn): AssistantTurn {
  try {
    return frozenCopy(turn)
  } catch {
    return { toolCalls: [] }
  }
}

function checkTurn(turn: AssistantTurn): void {
  if (Array.isArray((turn as AssistantTurn | null | undefined)?.toolCalls)) return
  throw new InvalidOptionsError({
    rule: 'turn',
    where: '/toolCalls',
    message: 'A turn is an object with a list `toolCalls`.',
    hint: 'Read a message of a provider with readTurn of @callgate/interop.',
  })
}

function announceBatches(
  { turn: { toolCalls: calls }, origins }: Expansion,
  context: CallContext,
  services: Services,
): void {
  if (!services.bus.has('batch_expanded')) return
  for (const [index, origin] of origins.entries()) {
    if (origin?.batchIndex !== 0) continue
    const callIds = calls.slice(index, index + origin.batchSize).map(effectiveId)
    const batch = { parentCallId: effectiveId(calls[index]!), callIds }
    void services.bus.run('batch_expanded', batch, scopeOf(context))
  }
}

/** A turn that could not be stored runs no call (R2.1). */
async function store(
  turn: AssistantTurn,
  { onExpanded }: CallContext,
  stop: StopSource,
  services: Services,
): Promise<void> {
  try {
    const stored = onExpanded?.(turn)
    // A caller that has stopped the turn is not waited for; nothing runs then either.
    if (isPromiseLike(stored)) await orStopped(Promise.resolve(stored), stop, () => {})
  } catch (error) {
    services.log.error('the expanded turn could not be stored, so nothing runs', {
      error: textOfThrown(error),
    })
    stop.stop(error)
  }
}

function makeReady(
  call: ToolCallIn,
  origin: Origin | undefined,
  turn: TurnMark,
  services: Services,
): Ready {
  const prepared = prepare(call)
  const callId = effectiveId(call) || services.ports.ids.next('call')
  const lineage: Lineage = {
    depth: 0,
    turn,
    ...(origin === undefined
      ? {}
      : {
          batchIndex: origin.batchIndex,
          batchSize: origin.batchSize,
          ...(origin.batchIndex === 0 ? {} : { parentCallId: origin.parentCallId }),
        }),
  }
  return { call, callId, lineage, prepared }
}

/** The calls of a task that has failed are answered and not run. */
function refuseAll(ready: readonly Ready[], malformed: Failure): readonly Ready[] {
  return ready.map((one) => ({ ...one, prepared: refusedBy(malformed, one) }))
}

function refusedBy(malformed: Failure, { prepared, call }: Ready): Prepared {
  return prepared.kind === 'call'
    ? { ...prepared, malformed: prepared.malformed ?? malformed }
    : { kind: 'call', name: toolCall, arguments: call.arguments, malformed }
}

async function runAll(
  ready: readonly Ready[],
  context: CallContext,
  stop: StopSource,
  services: Services,
): Promise<readonly ToolResult[]> {
  const results: ToolResult[] = []
  const segments = planTurn(ready.map(({ prepared }) => plannedOf(prepared, services)))
  const deliver = delivery(results, context, stop, services)
  const breather = new Breather(services.ports.clock)
  const run: RunOne = async (index) => {
    const result = breather.work(() => runReady(ready[index]!, index, context, stop, services))
    await deliver(index, await result)
    await breather.pause()
  }
  for (const segment of segments) await runSegment(segment, run, services)
  return results
}

function plannedOf(prepared: Prepared, services: Services): Planned {
  if (prepared.kind === 'connectors') return { tool: connectorsAsOne, arguments: {} }
  const tool = services.registry.find(prepared.name)?.definition
  if (tool === undefined || prepared.malformed !== undefined) return {}
  if (tool.effects?.resources === undefined && typeof prepared.arguments !== 'string') {
    return { tool, arguments: prepared.arguments ?? {} }
  }
  const args = readableArguments(prepared.arguments)
  return typeof args === 'object' && args !== null ? { tool, arguments: args } : { tool }
}

/** A batch of connectors is safe beside others as one unit. */
const connectorsAsOne = {
  namespace: 'connectors',
  name: 'batch',
  description: '',
  parameters: true,
  backend: { adapter: 'connectors' },
  effects: { readOnly: true },
} as const

/** What a caller has for a result after a stop, in milliseconds, before the turn goes on without it. */
const handingGraceMs = 40

type Deliver = (index: number, result: ToolResult) => Promise<void>

/** Hands results to `onResult` one by one in call order, and keeps them in that order. */
function delivery(
  results: ToolResult[],
  { onResult }: CallContext,
  stop: StopSource,
  services: Services,
): Deliver {
  let next = 0
  const settled = Promise.resolve()
  let handing = settled
  const grace = { clock: services.ports.clock, ms: handingGraceMs }
  // Once for the turn: many calls may be answered after a stop.
  let leftAlone = false
  const leaveAlone = (): void => {
    leftAlone = true
  }
  const hand = async (): Promise<void> => {
    for (; results[next] !== undefined; next++) {
      try {
        await onResult?.(results[next]!)
      } catch (error) {
        services.log.error('a result could not be stored, so no further call starts', {
          error: textOfThrown(error),
        })
        stop.stop(error)
      }
    }
  }
  return (index, result) => {
    results[index] = result
    if (onResult === undefined) return handing
    handing = handing.then(hand)
    return leftAlone ? settled : orStopped(handing, stop, leaveAlone, grace)
  }
}

type RunOne = (index: number) => Promise<void>

async function runSegment(
  [kind, indexes]: Segment,
  run: RunOne,
  services: Services,
): Promise<void> {
  if (kind === 'sequential') {
    for (const index of indexes) await run(index)
    return
  }
  const waiting = [...indexes].toReversed()
  const work = async (): Promise<void> => {
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) await run(index)
  }
  const workers = Math.min(services.settings.turnConcurrency, indexes.length)
  await Promise.all(Array.from({ length: workers }, work))
}

function runReady(
  { call, callId, lineage, prepared }: Ready,
  index: number,
  context: CallContext,
  stop: StopSource,
  services: Services,
): Maybe<ToolResult> {
  const common = { callId, lineage, context, stop: new StopSource(stop) }
  const { maxCallsPerTurn } = services.settings
  const surplus =
    index >= maxCallsPerTurn
      ? failure(
          'rate_limited',
          `One turn may hold ${maxCallsPerTurn} calls; this is number ${index + 1}.`,
          {
            rule: 'maxCallsPerTurn',
            hint: 'Send it in your next turn.',
          },
        )
      : undefined
  if (prepared.kind === 'connectors' && surplus === undefined) {
    return runConnectors(prepared.entries, common, services)
  }
  const { name, arguments: args } = prepared.kind === 'call' ? prepared : call
  const malformed = (prepared.kind === 'call' ? prepared.malformed : undefined) ?? surplus
  return runCall({ ...common, input: { name, arguments: args }, malformed }, services)
}
