import { ToolError } from '@callgate/spec'

import { ConnectFailure } from './connector.ts'
import { StoppedBeforeSending } from './request-once.ts'

/**
 * The one place where an error of the transport becomes a ToolError.
 *
 * `started`: 'no' where no connection stood, 'unknown' where a request may have been read and no answer came,
 * 'yes' where the answer had begun.
 */
export function transportError(
  cause: unknown,
  host: string,
  signal: AbortSignal,
  answered: boolean,
): ToolError {
  if (ToolError.isInstance(cause)) return cause
  if (cause instanceof ConnectFailure) {
    return new ToolError({
      code: 'backend_unavailable',
      message: `${host} cannot be reached${because(cause.cause)}.`,
      started: 'no',
      cause: cause.cause,
    })
  }
  const begun = answered ? 'yes' : 'unknown'
  const started = cause instanceof StoppedBeforeSending ? 'no' : begun
  if (signal.aborted) {
    return new ToolError({ code: 'cancelled', message: 'The request was stopped.', started, cause })
  }
  if (/^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(codeOf(cause))) {
    return new ToolError({
      code: 'timeout',
      message: `${host} was silent for too long.`,
      started,
      cause,
    })
  }
  return new ToolError({
    code: 'backend_error',
    message: `${host} ${whatHappened(cause, answered)}.`,
    started,
    cause,
  })
}

function whatHappened(cause: unknown, answered: boolean): string {
  if (unreadable.test(String(cause))) return 'sent an answer that cannot be read'
  if (!answered) return 'closed the connection without an answer'
  // Of zlib and of brotli; one that ends too early has another code.
  return /^(Z_DATA_ERROR|Z_NEED_DICT|ERR__ERROR_FORMAT_)/.test(codeOf(cause))
    ? 'sent an answer that is not in the coding it names, or damaged'
    : 'broke off its answer'
}

/** By the names of undici's errors: another protocol, TLS among them, too many headers, lengths that contradict each other. */
const unreadable = /^(HTTPParser|HeadersOverflow|ResponseContentLength)/

/** Code of an error or of the first of several, as `net.connect` gives them for a name with several addresses. */
function codeOf(cause: unknown): string {
  const { code, errors } = (typeof cause === 'object' && cause !== null ? cause : {}) as {
    code?: unknown
    errors?: readonly unknown[]
  }
  if (typeof code === 'string') return code
  return errors?.[0] === undefined ? '' : codeOf(errors[0])
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: ': nothing listens there',
  ENOTFOUND: ': its name has no address',
  EAI_AGAIN: ': its name cannot be looked up now',
  EHOSTUNREACH: ': no route',
  ENETUNREACH: ': no route',
  ETIMEDOUT: ' in time',
  UND_ERR_CONNECT_TIMEOUT: ' in time',
}

function because(cause: unknown): string {
  const code = codeOf(cause)
  if (/^(CERT_|ERR_TLS_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code)) {
    return ': its certificate is not valid'
  }
  return reasons[code] ?? ''
}
