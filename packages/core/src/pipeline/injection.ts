import { errorCodes, type ToolResult } from '@callgate/spec'

import { functionAdapter } from '../registry/tool-entry.ts'
import { errorOf } from '../results/failure.ts'
import { freezeOwn } from '../results/freeze-own.ts'
import { maskSecretFields, maskSecretText } from '../results/redact.ts'
import { mark, type Call } from './call.ts'
import { isPromiseLike, type Maybe } from './maybe.ts'
import { payloadWith } from './payload.ts'
import type { Finished } from './result.ts'
import type { Services } from './services.ts'
import { readableArguments } from './validation.ts'

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** Step 7: the envelope, audit, statistics, and `post_tool_call` exactly once per call (R11.1, R12.1). */
export function inject(call: Call, services: Services, finished: Finished): Maybe<ToolResult> {
  if (!call.parsed) call.arguments = readableArguments(call.rawArguments)
  const result = envelope(call, services, finished)
  const written = audit(call, services, result, finished)
  return isPromiseLike(written)
    ? written.then(() => close(call, services, result))
    : close(call, services, result)
}

function close(call: Call, services: Services, result: ToolResult): ToolResult {
  services.ports.statistics.record(result)
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
    metadata: metadataOf(call, services, truncated),
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
): ToolResult['metadata'] {
  const metadata: Writable<ToolResult['metadata']> = {
    durationMs: services.ports.clock.now() - call.startedAt,
    attempts: call.attempts,
    outcome: call.outcome,
    repairs: call.repairs,
    auditId: services.ports.ids.next('audit'),
    trace: call.trace,
  }
  if (call.entry !== undefined) metadata.adapter = call.entry.definition.backend.adapter
  const notice = services.guardrails.notice(call)
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

/** A failing audit is logged and never loses the result of a call that ran. */
function audit(
  call: Call,
  services: Services,
  result: ToolResult,
  { failure }: Finished,
): Maybe<void> {
  const failed = (error: unknown): void =>
    services.log.error('the audit could not be written', {
      auditId: result.metadata.auditId,
      error: String(error),
    })
  try {
    const entry = entryOf(call, services, result, failure?.trueReason)
    const written = services.ports.audit.append(entry)
    return isPromiseLike(written) ? written.catch(failed) : undefined
  } catch (error) {
    return failed(error)
  }
}

function entryOf(
  call: Call,
  services: Services,
  result: ToolResult,
  trueReason: string | undefined,
): object {
  const { context, lineage } = call
  const { error, metadata } = result
  const entry: Record<string, unknown> = {
    kind: 'tool_call',
    auditId: metadata.auditId,
    at: call.startedAt,
    callId: call.callId,
    tool: result.tool,
    status: result.status,
    outcome: metadata.outcome,
    attempts: metadata.attempts,
    durationMs: metadata.durationMs,
    arguments: maskSecretFields(call.arguments),
  }
  const add = (key: string, value: unknown): void => {
    if (value !== undefined) entry[key] = value
  }
  add('parentCallId', lineage.parentCallId)
  add('sessionId', context.sessionId)
  add('user', context.user)
  add('adapter', metadata.adapter)
  add('ticketId', metadata.ticketId)
  add('answeredBy', metadata.answeredBy)
  add('truncated', metadata.truncated)
  if (call.originalArguments !== undefined) {
    entry['originalArguments'] = maskSecretFields(call.originalArguments)
  }
  if (call.repairs.length > 0) entry['repairs'] = maskSecretFields(call.repairs)
  if (call.risk !== undefined && call.risk.level !== 'low') entry['risk'] = call.risk
  if (call.notes.length > 0) entry['notes'] = call.notes
  if (error !== undefined) {
    entry['code'] = error.code
    entry['message'] = maskSecretText(error.message)
    add('rule', error.rule)
  }
  if (trueReason !== undefined) entry['reason'] = maskSecretText(trueReason)
  return services.redactor.value(entry) as object
}

function observe(call: Call, services: Services, result: ToolResult): void {
  if (!services.bus.has('post_tool_call')) return
  const payload = payloadWith(call, services, {
    result: freezeOwn(result),
    rawData: freezeOwn(call.rawData),
  })
  void services.bus.fire('post_tool_call', payload, { subject: call.toolId, frozen: true })
}
