import { type ErrorCode, ToolError, type ToolErrorInit } from '@callgate/spec'

import type { Fault } from '../channel/fault.ts'
import { cleanJson } from '../text/clean-json.ts'
import { cleanText } from '../text/clean.ts'

const maxMessage = 4096

/** JSON-RPC errors that a server gives before it runs anything. */
const notRun: Readonly<Record<number, ErrorCode>> = {
  [-32_700]: 'backend_error',
  [-32_600]: 'backend_error',
  [-32_601]: 'backend_error',
  [-32_602]: 'invalid_arguments',
  // A page has to be visited first.
  [-32_042]: 'backend_error',
  [-32_020]: 'backend_error',
  [-32_021]: 'backend_error',
  [-32_022]: 'backend_error',
}

/** A fault of a call, as the fact that the gateway decides on. `remains` is what is known of a dead server. */
export function toToolError(fault: Fault, server: string, remains: string): ToolError {
  const describe = describers[fault.kind] as (fault: Fault, remains: string) => ToolErrorInit
  const init = describe(fault, remains)
  const message = cleanText(`MCP server "${server}": ${init.message}`)
  return new ToolError({
    ...init,
    message: message.length > maxMessage ? `${message.slice(0, maxMessage)} [cut]` : message,
  })
}

/** One describer a kind, so that a new kind cannot be forgotten. */
const describers: {
  readonly [K in Fault['kind']]: (
    fault: Extract<Fault, { kind: K }>,
    remains: string,
  ) => ToolErrorInit
} = {
  rpc: rpcError,
  http: httpError,
  unsent: (fault) => ({
    code: 'backend_unavailable',
    message: fault.reason,
    started: 'no',
    ...(fault.cause === undefined ? {} : { cause: fault.cause }),
  }),
  lost: (fault, remains) => ({
    code: 'outcome_unknown',
    message: `outcome unknown, the call may have had its effect: ${fault.reason}${remains === '' ? '' : ` (${remains})`}`,
    started: 'unknown',
    ...(fault.cause === undefined ? {} : { cause: fault.cause }),
  }),
  timeout: (fault) => ({
    code: 'timeout',
    message: timeoutText[fault.limit].replace('{ms}', String(fault.ms)),
    rule: `${fault.limit}-timeout`,
    started: 'unknown',
  }),
  aborted: (fault) => ({
    code: 'cancelled',
    message: 'the call was cancelled',
    started: fault.sent ? 'unknown' : 'no',
  }),
  'session-lost': (fault) => ({
    code: 'backend_unavailable',
    message: `the session is gone (status ${String(fault.status)})`,
    started: 'no',
  }),
  unauthorized: (fault) => ({
    code: 'backend_unavailable',
    message: fault.reason,
    rule: 'authorization-required',
    started: 'no',
    ...(fault.url === undefined ? {} : { backend: { data: { authorizationUrl: fault.url } } }),
  }),
  'too-large': (fault) => ({
    code: 'backend_error',
    message: `the result is larger than ${String(fault.limit)} bytes and was dropped; the call ran`,
    rule: 'result-too-large',
    started: 'yes',
  }),
}

const timeoutText = {
  idle: 'no answer and no progress for {ms} ms',
  total: 'not finished after {ms} ms',
  human: 'the question to the user was not answered within {ms} ms',
} as const

function rpcError(fault: Extract<Fault, { kind: 'rpc' }>): ToolErrorInit {
  const code = notRun[fault.code]
  return {
    code: code ?? 'backend_error',
    message: fault.message,
    started: code === undefined ? 'unknown' : 'no',
    backend: {
      code: fault.code,
      ...(fault.data === undefined ? {} : { data: cleanJson(fault.data) }),
    },
  }
}

/**
 * Refused before it ran: too many calls, not you, no such thing, or, with the time to come again, not now. A 503 without
 * that is what a proxy says whose server went away in the middle, and 408 comes after part of a request: like anything
 * else they may have run.
 */
function httpError(fault: Extract<Fault, { kind: 'http' }>): ToolErrorInit {
  const { status } = fault
  const limited = status === 429
  const later = status === 503 && fault.retryAfterMs !== undefined
  const refused = limited || later || (status >= 400 && status < 500 && status !== 408)
  return {
    code: limited ? 'rate_limited' : later ? 'backend_unavailable' : 'backend_error',
    message: `the server answered with status ${String(fault.status)}${fault.text === '' ? '' : `: ${fault.text}`}`,
    started: refused ? 'no' : 'unknown',
    backend: { code: fault.status },
    ...(fault.retryAfterMs === undefined ? {} : { retryAfterMs: fault.retryAfterMs }),
  }
}
