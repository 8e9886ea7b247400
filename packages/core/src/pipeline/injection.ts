import { deepFreeze } from '@callgate/hooks'
import { errorCodes, type ToolResult } from '@callgate/spec'

import { errorOf } from '../results/failure.ts'
import { maskSecretFields } from '../results/redact.ts'
import type { Call } from './call.ts'
import { isPromiseLike, type Maybe } from './maybe.ts'
import { payloadWith } from './payload.ts'
import type { Finished } from './result.ts'
import type { Services } from './services.ts'
import { readableArguments } from './validation.ts'

/** Step 7: the envelope, audit, statistics, and `post_tool_call` exactly once per call (R11.1, R12.1). */
export function inject(
  call: Call,
  services: Services,
  finished: Finished,
  startedAt: number,
): Maybe<ToolResult> {
  const { clock } = services.ports
  if (!call.parsed) call.arguments = readableArguments(call.rawArguments)
  const result = envelope(call, services, finished)
  const written = audit(call, services, result, finished)
  const settle = (): ToolResult => {
    services.ports.statistics.record(result)
    services.guardrails.record(call, result)
    call.trace.push({ step: 'injection', ms: clock.now() - startedAt })
    observe(call, services, result)
    call.stop.release()
    return result
  }
  return isPromiseLike(written) ? written.then(settle) : settle()
}

function envelope(call: Call, services: Services, finished: Finished): ToolResult {
  const { failure, data, content, truncated } = finished
  const { parentCallId } = call.lineage
  const adapter = call.entry?.definition.backend.adapter
  return {
    callId: call.callId,
    ...(parentCallId === undefined ? {} : { parentCallId }),
    tool: call.askedTool,
    status: failure === undefined ? 'ok' : errorCodes[failure.code].result,
    data,
    content,
    metadata: {
      ...(adapter === undefined ? {} : { adapter }),
      durationMs: services.ports.clock.now() - call.startedAt,
      attempts: call.attempts,
      outcome: call.outcome,
      ...(truncated === undefined ? {} : { truncated }),
      ...(call.answeredBy === undefined ? {} : { answeredBy: call.answeredBy }),
      repairs: call.repairs,
      auditId: services.ports.ids.next('audit'),
      ...(call.ticketId === undefined ? {} : { ticketId: call.ticketId }),
      trace: call.trace,
    },
    ...(failure === undefined ? {} : { error: errorOf(failure) }),
  }
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
    const written = services.ports.audit.append(
      entryOf(call, services, result, failure?.trueReason),
    )
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
  return {
    kind: 'tool_call',
    auditId: metadata.auditId,
    at: call.startedAt,
    callId: call.callId,
    ...(lineage.parentCallId === undefined ? {} : { parentCallId: lineage.parentCallId }),
    ...(context.sessionId === undefined ? {} : { sessionId: context.sessionId }),
    ...(context.user === undefined ? {} : { user: context.user }),
    tool: result.tool,
    ...(metadata.adapter === undefined ? {} : { adapter: metadata.adapter }),
    status: result.status,
    arguments: services.redactor.value(maskSecretFields(call.arguments)),
    ...(call.repairs.length === 0 ? {} : { repairs: maskSecretFields(call.repairs) }),
    ...(error === undefined ? {} : { code: error.code, message: maskSecretFields(error.message) }),
    ...(error?.rule === undefined ? {} : { rule: error.rule }),
    ...(trueReason === undefined ? {} : { reason: services.redactor.text(trueReason) }),
    ...(call.risk === undefined || call.risk.level === 'low' ? {} : { risk: call.risk }),
    ...(call.notes.length === 0 ? {} : { notes: maskSecretFields(call.notes) }),
    ...(metadata.ticketId === undefined ? {} : { ticketId: metadata.ticketId }),
    ...(metadata.answeredBy === undefined ? {} : { answeredBy: metadata.answeredBy }),
    ...(metadata.truncated === undefined ? {} : { truncated: metadata.truncated }),
    outcome: metadata.outcome,
    attempts: metadata.attempts,
    durationMs: metadata.durationMs,
  }
}

function observe(call: Call, services: Services, result: ToolResult): void {
  if (!services.bus.has('post_tool_call')) return
  const payload = payloadWith(call, services, {
    result: deepFreeze(result),
    rawData: deepFreeze(call.rawData),
  })
  void services.bus.fire('post_tool_call', payload, { subject: call.toolId })
}
