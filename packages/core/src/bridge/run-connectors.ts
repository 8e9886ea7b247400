import {
  errorCodes,
  ToolError,
  type AdapterOutput,
  type CallContext,
  type ContentPart,
  type ToolErrorInit,
  type ToolId,
  type ToolResult,
} from '@callgate/spec'

import { ownTimeout } from '../pipeline/bounded-wait.ts'
import type { Call, Lineage, TurnMark } from '../pipeline/call.ts'
import { remaining } from '../pipeline/execution.ts'
import { CallInvokeContext } from '../pipeline/invoke-context.ts'
import { refuseStopped, requestOf } from '../pipeline/invoke.ts'
import { withdrawn } from '../pipeline/lookup.ts'
import { outcomeOf } from '../pipeline/outcome-of.ts'
import { runCall } from '../pipeline/pipeline.ts'
import { Refused } from '../pipeline/refused.ts'
import type { Services } from '../pipeline/services.ts'
import { capResult, surelyFits, type Capped } from '../results/cap.ts'
import { contentOf } from '../results/content.ts'
import { cutData } from '../results/cut-data.ts'
import { errorOf, failure, type ResultError } from '../results/failure.ts'
import { StopSource } from '../turn/stop.ts'
import { batchTool, toolCall } from './bridge-names.ts'
import { deterministicCallId } from './child-id.ts'
import type { Entry } from './envelope.ts'
import { childText } from './expand.ts'
import { losslessReader } from './lossless-reader.ts'
import { asFailed, createRendezvous, type Outcome } from './rendezvous.ts'

export interface ConnectorBatch {
  readonly callId: string
  readonly lineage: Lineage
  readonly context: CallContext
  readonly stop: StopSource
}

/**
 * Runs an all-connector `tool_call` as one dispatch (R2.5). Each entry goes through the pipeline by itself, with an id
 * of its own and the outer id as its parent; those that pass wait for each other and are then sent to their adapter
 * together. The bridge call has one result, which lists the entries in order.
 */
export async function runConnectors(
  entries: readonly Entry[],
  batch: ConnectorBatch,
  services: Services,
): Promise<ToolResult> {
  const startedAt = services.ports.clock.now()
  const turn: TurnMark = { slips: 0 }
  const meeting = createRendezvous(entries.length, (calls) =>
    invokeTogether(calls, services, batch.stop),
  )
  const spent = new Set<ToolId>()
  const results = await Promise.all(
    entries.map(async (entry, index) => {
      const result = await runCall(
        {
          callId: entryId(entry, batch.callId, index),
          input: entry,
          context: batch.context,
          lineage: {
            turn,
            ...batch.lineage,
            parentCallId: batch.callId,
            batchIndex: index,
            batchSize: entries.length,
            isEntry: true,
          },
          stop: new StopSource(batch.stop),
          invoke(call) {
            // The batch is one call of each of its tools; one that has none left is refused without the others.
            const refused = spent.has(call.toolId) ? undefined : services.limits.take(call)
            if (refused !== undefined) throw new Refused({ ...refused, ours: true })
            spent.add(call.toolId)
            return meeting.join(index, call)
          },
          leave: () => meeting.leave(index),
        },
        services,
      )
      // An entry that was refused before it came to the others must not keep them waiting.
      meeting.leave(index)
      return result
    }),
  )
  const result = await outerResult(entries, results, batch, services, startedAt)
  // Now: to keep what is too long waits for the stop too.
  batch.stop.release()
  return result
}

/** The id that expansion would give the entry. */
function entryId(entry: Entry, parentId: string, index: number): string {
  if (index === 0) return parentId
  const args = losslessReader.readArguments(entry.arguments) ?? {}
  return deterministicCallId(
    toolCall,
    parentId,
    childText({ name: entry.name, arguments: args }) ?? '',
    index,
  )
}

/** One place and one timeout for all entries of one adapter: they may take as long as one of its tools may. */
async function invokeTogether(
  calls: readonly Call[],
  services: Services,
  batchStop: StopSource,
): Promise<readonly Outcome[]> {
  const first = calls[0]!
  const left = (): number => Math.max(...calls.map((call) => remaining(call, services)))
  const place = await services.limits.enter(first, left())
  if (typeof place !== 'function') throw new Refused({ ...place, ours: true })
  const stop = new StopSource(batchStop)
  const { clock } = services.ports
  const longest = Math.max(...calls.map((call) => ownTimeout(call, services)))
  const timeoutMs = Math.min(longest, Math.max(1, Math.ceil(left())))
  let timer: unknown
  const expired = new Promise<never>((_, reject) => {
    timer = clock.setTimeout(() => {
      stop.stop(new DOMException('The batch took too long.', 'TimeoutError'))
      const late = failure('timeout', `The batch took longer than ${timeoutMs} ms.`, {
        started: 'unknown',
      })
      // The deadline of the caller says nothing of the backend.
      reject(new Refused(timeoutMs < longest ? { ...late, ours: true } : late))
    }, timeoutMs)
  })
  try {
    return await invokeRemaining(calls, services, stop, expired)
  } finally {
    clock.clearTimeout(timer)
    stop.release()
    place()
  }
}

/** Without the entries whose tool was taken out while they waited: what happens to the others is nothing to them. */
async function invokeRemaining(
  calls: readonly Call[],
  services: Services,
  stop: StopSource,
  expired: Promise<never>,
): Promise<readonly Outcome[]> {
  const gone = calls.map((call) => withdrawn(call, services))
  const sent = calls.filter((_, index) => gone[index] === undefined)
  const failed = (error: unknown): readonly Outcome[] => sent.map(() => asFailed(error))
  const outcomes =
    sent.length === 0
      ? []
      : await Promise.race([invokeBatch(sent, services, stop), expired]).catch(failed)
  const next = outcomes.values()
  return gone.map((why) =>
    why === undefined ? next.next().value! : new Refused({ ...why, ours: true }),
  )
}

async function invokeBatch(
  calls: readonly Call[],
  services: Services,
  stop: StopSource,
): Promise<readonly (AdapterOutput | ToolError)[]> {
  const name = calls[0]!.entry!.definition.backend.adapter
  const { adapters } = services
  const adapter = adapters.servesBatches(name) ? await adapters.running(name) : undefined
  refuseStopped(stop)
  if (adapter?.invokeBatch === undefined) {
    throw new ToolError({
      code: 'no_adapter',
      message: `The adapter "${name}" serves no batches.`,
      started: 'no',
    })
  }
  const outputs = await adapter.invokeBatch(
    calls.map((call) => requestOf(call, services, 1)),
    new CallInvokeContext(calls[0]!, services, stop),
  )
  return calls.map((_, index) => readOutput(outputs[index]))
}

function readOutput(
  output: (AdapterOutput & { readonly error?: unknown }) | null | undefined,
): AdapterOutput | ToolError {
  if (typeof output !== 'object' || output === null) return unread('no result')
  const { error } = output
  if (error === undefined || error === null) return output
  // One entry that cannot be read is no fault of the others.
  return typeof error === 'object'
    ? new ToolError(error as ToolErrorInit)
    : unread('an error that cannot be read')
}

function unread(what: string): ToolError {
  const message = `The adapter gave ${what} for this entry.`
  return new ToolError({ code: 'backend_error', message, started: 'unknown' })
}

/** The one result of the bridge call: capped as a whole, since each of its parts may be as long as a result (R11.2). */
async function outerResult(
  entries: readonly Entry[],
  results: readonly ToolResult[],
  { callId, lineage, context, stop }: ConnectorBatch,
  services: Services,
  startedAt: number,
): Promise<ToolResult> {
  const succeeded = results.filter(({ status }) => status === 'ok').length
  const data = {
    results: results.map((result, index) => ({
      index,
      name: entries[index]!.name,
      ...answerOf(result),
    })),
    success_count: succeeded,
    error_count: results.length - succeeded,
    total_count: results.length,
  }
  const error = succeeded > 0 ? undefined : errorOfAll(results.map((one) => one.error!))
  const ticketId = results.length === 1 ? results[0]!.metadata.ticketId : undefined
  const { resultCapBytes: maxBytes } = services.settings
  const content = [...contentOf(data), ...results.flatMap(mediaOf)]
  const whole: Capped = { data, content, isMade: true }
  const keep = (text: string) => services.spills.keep(text, context.sessionId, stop)
  // What comes after a step needs the whole of it.
  const isWhole = lineage.isStep === true || surelyFits(whole, maxBytes)
  const shown = isWhole
    ? whole
    : await capResult(whole, { maxBytes, task: context.task, cut: cutEntries, keep })
  return {
    callId,
    ...(lineage.parentCallId === undefined ? {} : { parentCallId: lineage.parentCallId }),
    tool: batchTool,
    status: error === undefined ? 'ok' : errorCodes[error.code].result,
    ...(error === undefined ? {} : { error }),
    data: shown.data,
    content: shown.content,
    metadata: {
      durationMs: services.ports.clock.now() - startedAt,
      attempts: 1,
      outcome: outcomeOf(results),
      ...(results.some(({ metadata }) => metadata.untrusted) ? { untrusted: true } : {}),
      ...(shown.truncated === undefined ? {} : { truncated: shown.truncated }),
      ...(ticketId === undefined ? {} : { ticketId }),
      repairs: [],
      auditId: results[0]!.metadata.auditId,
      trace: [],
    },
  }
}

/** What the result of an entry says: of an error all that a call by itself would have told. */
function answerOf({ data, error, metadata: { truncated, ticketId } }: ToolResult): object {
  return {
    ...(error === undefined
      ? { response: data }
      : {
          error: {
            code: error.code,
            message: error.message,
            ...(data === null || data === error.message ? {} : { data }),
            ...(ticketId === undefined ? {} : { ticketId }),
          },
        }),
    ...(truncated === undefined ? {} : { truncated }),
  }
}

/** What of an entry is no text, each after a line that says whose it is. */
function mediaOf({ content }: ToolResult, index: number): readonly ContentPart[] {
  return content.flatMap((part) =>
    part.type === 'text' ? [] : [{ type: 'text', text: `[of entry ${index}]` }, part],
  )
}

/** What stands beside the entries takes so many bytes. */
const countBytes = 80

/** Each entry keeps its place and, as a field of an object, has its share of the room: of a list only those that fit stay. */
const cutEntries: typeof cutData = (value, size, maxBytes, task) => {
  const data = value as { readonly results: object }
  const cut = cutData({ ...data.results }, size, maxBytes - countBytes, task)
  return { ...data, results: Object.values(cut as object) }
}

/** A batch of which nothing succeeded did not succeed; its error is that of its entries where all have the same. */
function errorOfAll(errors: readonly ResultError[]): ResultError {
  const [first] = errors
  if (errors.every(({ message }) => message === first!.message)) return first!
  const code = errors.every((error) => error.code === first!.code) ? first!.code : 'tool_failed'
  return errorOf(failure(code, 'No entry of the batch succeeded; each says why.'))
}
