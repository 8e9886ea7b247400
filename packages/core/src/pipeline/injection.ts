import { errorCodes, type ToolResult } from '@callgate/spec'

import { functionAdapter } from '../registry/tool-entry.ts'
import { errorOf } from '../results/failure.ts'
import { freezeOwn } from '../results/freeze-own.ts'
import { maskSecretFields, maskSecretText } from '../results/redact.ts'
import { shortId } from '../results/short-id.ts'
import { isThrown, textOfThrown } from '../results/thrown.ts'
import { bounded, GivenUp } from '../turn/or-stopped.ts'
import { mark, type Call } from './call.ts'
import { isPromise, isPromiseLike, whenRejected, type Maybe } from './maybe.ts'
import { payloadWith } from './payload.ts'
import type { Finished } from './result.ts'
import { scopeOf } from './scope.ts'
import type { Services } from './services.ts'
import { readableArguments } from './validation.ts'

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** Step 7: the envelope, audit, statistics, and `post_tool_call` exactly once per call (R11.1, R12.1). */
export function inject(call: Call, services: Services, finished: Finished): Maybe<ToolResult> {
  if (!call.checked) call.arguments = readableArguments(call.rawArguments)
  const result = envelope(call, services, finished)
  const written = audit(call, services, result, finished)
  return isPromise(written)
    ? closeAfter(written, call, services, result)
    : close(call, services, result)
}

function closeAfter(
  written: Promise<void>,
  call: Call,
  services: Services,
  result: ToolResult,
): Promise<ToolResult> {
  return written.then(() => close(call, services, result))
}

function close(call: Call, services: Services, result: ToolResult): ToolResult {
  count(services, result)
  services.guardrails.record(call, result)
  mark(call, services.ports.clock, 'injection')
  observe(call, services, result)
  call.stop.release()
  return result
}

// Built field by field: an optional field is absent, not undefined, and spreads cost more than the rest of the step.
function envelope(call: Call, services: Services, finished: Finished): ToolResult {
  const { failure, data, content, truncated } = finished
  const result: Writable<ToolResult> = {
    callId: call.callId,
    tool: call.askedTool,
    status: failure === undefined ? 'ok' : errorCodes[failure.code].result,
    data,
    content,
    metadata: metadataOf(call, services, truncated, failure?.unseen === true),
  }
  if (call.lineage.parentCallId !== undefined) result.parentCallId = call.lineage.parentCallId
  if (failure !== undefined) {
    result.error = services.redactor.value(errorOf(failure)) as NonNullable<ToolResult['error']>
  }
  return result
}

function metadataOf(
  call: Call,
  services: Services,
  truncated: Finished['truncated'],
  unseen: boolean,
): ToolResult['metadata'] {
  const metadata: Writable<ToolResult['metadata']> = {
    // The clock was read at the end of the last step.
    durationMs: call.markedAt - call.startedAt,
    attempts: call.attempts,
    outcome: call.outcome,
    repairs: call.repairs,
    auditId: services.ports.ids.next('audit'),
    trace: call.trace,
  }
  if (call.entry !== undefined && !unseen) metadata.adapter = call.entry.definition.backend.adapter
  const notice = services.guardrails.notice(call, unseen)
  if (notice !== undefined) metadata.notice = notice
  if (call.outcome !== 'not_started' && !isOwnTool(call)) metadata.untrusted = true
  if (call.backend !== undefined) metadata.backend = call.backend
  if (truncated !== undefined) metadata.truncated = truncated
  if (call.answeredBy !== undefined) metadata.answeredBy = call.answeredBy
  if (call.ticketId !== undefined) metadata.ticketId = call.ticketId
  return metadata
}

/** A function of this program or a bridge tool; everything else brings text from outside. */
function isOwnTool(call: Call): boolean {
  return call.entry === undefined || call.entry.definition.backend.adapter === functionAdapter
}

/** The result is what matters: statistics that fail do not lose it. */
function count({ ports, log }: Services, result: ToolResult): void {
  const failed = (error: unknown): void =>
    log.error('the statistics could not be written', { error: textOfThrown(error) })
  try {
    whenRejected(ports.statistics.record(result), failed)
  } catch (error) {
    failed(error)
  }
}

/** An audit has so many milliseconds for each entry, and a few after a stop: a result must not wait for ever. */
const auditMs = 5000
const auditGraceMs = 40

/** An audit that fails or is late is logged, with a code, and never loses the result of a call that ran. */
function audit(
  call: Call,
  services: Services,
  result: ToolResult,
  { failure }: Finished,
): Maybe<void> {
  try {
    const entry = new AuditEntry(call, result, failure?.trueReason)
    const written = services.ports.audit.append(services.redactor.value(entry) as object)
    return isPromiseLike(written) ? audited(written, call, services, result) : undefined
  } catch (error) {
    return notAudited(services, result, error)
  }
}

function audited(
  written: PromiseLike<void>,
  call: Call,
  services: Services,
  result: ToolResult,
): Maybe<void> {
  const { clock } = services.ports
  const bounds = { what: 'the audit', ms: auditMs, clock, stop: call.stop, graceMs: auditGraceMs }
  const waited = bounded(written, bounds).catch((error: unknown) =>
    notAudited(services, result, error),
  )
  // Of calls that a stop keeps from starting there may be many: nobody waits for each.
  return call.stop.stopped && call.outcome === 'not_started' ? undefined : waited
}

function notAudited({ log }: Services, { metadata }: ToolResult, error: unknown): void {
  log.error('the audit could not be written', {
    code: isThrown(error, GivenUp) ? 'timeout' : 'internal',
    auditId: metadata.auditId,
    error: textOfThrown(error),
  })
}

/** Characters of an id in the audit: some providers keep more than a name in one. A result, which it pairs, has the whole. */
const maxCallId = 1000

/**
 * An object of a class, as its notes are: what literals make and the audit keeps is moved to the old space at its
 * birth by V8, where it and all it holds wait for a major collection.
 */
class AuditEntry {
  readonly kind = 'tool_call'
  declare readonly auditId: string
  declare readonly at: number
  declare readonly callId: string
  declare readonly tool: string
  declare readonly status: ToolResult['status']
  declare readonly outcome: ToolResult['metadata']['outcome']
  declare readonly attempts: number
  declare readonly durationMs: number
  declare readonly arguments: unknown
  declare readonly parentCallId?: string
  declare readonly sessionId?: string
  declare readonly user?: string
  declare readonly adapter?: string
  declare readonly ticketId?: string
  declare readonly answeredBy?: string
  declare readonly truncated?: object
  declare readonly originalArguments?: unknown
  declare readonly repairs?: unknown
  declare readonly risk?: object
  declare readonly notes?: readonly object[]
  declare readonly code?: string
  declare readonly message?: string
  declare readonly rule?: string
  declare readonly reason?: string

  constructor(call: Call, { tool, status, error, metadata }: ToolResult, trueReason?: string) {
    const { context, lineage } = call
    this.auditId = metadata.auditId
    this.at = call.startedAt
    this.callId = shortId(call.callId, maxCallId)
    // The caller is told the name that it asked for; the audit knows what that name stands for.
    this.tool = error?.code === 'permission_denied' ? call.toolId : tool
    this.status = status
    this.outcome = metadata.outcome
    this.attempts = metadata.attempts
    this.durationMs = metadata.durationMs
    this.arguments = maskSecretFields(call.arguments)
    if (lineage.parentCallId !== undefined) {
      this.parentCallId = shortId(lineage.parentCallId, maxCallId)
    }
    if (context.sessionId !== undefined) this.sessionId = context.sessionId
    if (context.user !== undefined) this.user = context.user
    if (metadata.adapter !== undefined) this.adapter = metadata.adapter
    if (metadata.ticketId !== undefined) this.ticketId = metadata.ticketId
    if (metadata.answeredBy !== undefined) this.answeredBy = metadata.answeredBy
    if (metadata.truncated !== undefined) this.truncated = metadata.truncated
    if (call.originalArguments !== undefined) {
      this.originalArguments = maskSecretFields(call.originalArguments)
    }
    if (call.repairs.length > 0) this.repairs = maskSecretFields(call.repairs)
    if (call.risk !== undefined && call.risk.level !== 'low') this.risk = call.risk
    if (call.notes.length > 0) this.notes = call.notes.slice()
    if (error !== undefined) {
      this.code = error.code
      this.message = maskSecretText(error.message)
      if (error.rule !== undefined) this.rule = error.rule
    }
    if (trueReason !== undefined) this.reason = maskSecretText(trueReason)
  }
}

function observe(call: Call, services: Services, result: ToolResult): void {
  if (!services.bus.has('post_tool_call')) return
  const payload = payloadWith(call, services, {
    result: freezeOwn(result),
    rawData: freezeOwn(call.rawData),
  })
  void services.bus.fire('post_tool_call', payload, {
    subject: call.toolId,
    ...scopeOf(call.context),
    frozen: true,
  })
}
