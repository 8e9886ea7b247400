import { ToolError } from '@callgate/spec'
import {
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'

import type { JsonRecord } from '../record.ts'

/** A request as a span tells of it. */
export interface TracedRequest {
  readonly server: string
  readonly transport: 'stdio' | 'socket' | 'http' | 'client'
  readonly method: string
  /** Name of the tool or prompt, or address of the resource. */
  readonly target: string | undefined
  readonly call: TracedCall | undefined
}

/** What only a call of a tool has. */
export interface TracedCall {
  /** As the gateway knows the tool. */
  readonly toolId: string
  readonly callId: string
  readonly attempt: number
}

/** What a request says of its way, for its span. */
export interface Marks {
  /** Goes into `_meta`: the trace context of W3C, in the keys of SEP-414. */
  readonly meta: JsonRecord | undefined
  /** There is a connection to send it over. */
  connected(era: 'legacy' | 'modern'): void
  /** The answer is there. */
  answered(bytes: number | undefined): void
}

const tracer = trace.getTracer('@callgate/adapter-mcp')
/** What SEP-414 reserves in `_meta`; propagators may have other fields. */
const metaKeys = ['traceparent', 'tracestate', 'baggage'] as const
const networks = { stdio: 'pipe', socket: 'unix', http: 'tcp', client: undefined } as const

/**
 * Runs a request inside a client span, by the semantic conventions of OpenTelemetry for MCP, with the times it spent
 * in `callgate.mcp.*`. Where the host registered no tracer it only hands the trace context on, if there is one.
 */
export async function traced<T>(
  request: TracedRequest,
  run: (marks: Marks) => Promise<T>,
): Promise<T> {
  const { method, target } = request
  const span = tracer.startSpan(target === undefined ? method : `${method} ${target}`, {
    kind: SpanKind.CLIENT,
  })
  const marks = marksOf(span, metaOf(span))
  if (!span.isRecording()) return run(marks)
  span.setAttributes(attributesOf(request))
  try {
    const result = await run(marks)
    span.setAttribute('callgate.mcp.outcome', 'done')
    return result
  } catch (error) {
    const code = ToolError.isInstance(error) ? error.code : 'internal'
    const started = ToolError.isInstance(error) ? error.started : 'unknown'
    span.setAttributes({ 'error.type': code, 'callgate.mcp.outcome': outcomes[started] })
    span.setStatus({ code: SpanStatusCode.ERROR, message: String(error) })
    throw error
  } finally {
    marks.read()
    span.end()
  }
}

const outcomes = { no: 'not_started', yes: 'done', unknown: 'unknown' } as const

function metaOf(span: Span): JsonRecord | undefined {
  // No propagator, nothing to propagate: the way of most hosts.
  if (propagation.fields().length === 0) return undefined
  const carrier: Record<string, string> = {}
  propagation.inject(trace.setSpan(context.active(), span), carrier)
  const entries = metaKeys.flatMap((key) => (carrier[key] ? [[key, carrier[key]]] : []))
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as JsonRecord)
}

/** Times in milliseconds: until there was a connection, until the answer, and until it was read. */
function marksOf(span: Span, meta: JsonRecord | undefined): Marks & { read(): void } {
  if (!span.isRecording()) return { meta, connected: nothing, answered: nothing, read: nothing }
  let last = performance.now()
  let stage = 'queue'
  const mark = (next: string): void => {
    const now = performance.now()
    span.setAttribute(`callgate.mcp.${stage}_ms`, now - last)
    last = now
    stage = next
  }
  return {
    meta,
    connected: (era) => {
      mark('wire')
      span.setAttribute('callgate.mcp.era', era)
    },
    answered: (bytes) => {
      mark('read')
      if (bytes !== undefined) span.setAttribute('callgate.mcp.bytes', bytes)
    },
    read: () => mark(''),
  }
}

function nothing(): void {
  // Nobody records.
}

function attributesOf(request: TracedRequest): Record<string, string | number> {
  const { server, transport, method, target, call } = request
  const network = networks[transport]
  return {
    'mcp.method.name': method,
    'callgate.mcp.server': server,
    'callgate.mcp.transport': transport,
    ...(network === undefined ? {} : { 'network.transport': network }),
    ...(method === 'resources/read' && target !== undefined ? { 'mcp.resource.uri': target } : {}),
    ...(method === 'prompts/get' && target !== undefined ? { 'gen_ai.prompt.name': target } : {}),
    ...(method === 'tools/call' && target !== undefined ? { 'gen_ai.tool.name': target } : {}),
    ...(call === undefined
      ? {}
      : {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.call.id': call.callId,
          'callgate.tool.id': call.toolId,
          'callgate.attempt': call.attempt,
        }),
  }
}
