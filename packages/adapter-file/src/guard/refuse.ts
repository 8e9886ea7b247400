import { ToolError } from '@callgate/spec'

/**
 * Refuses a call before anything was touched (A2).
 *
 * Takes the stable name of the rule, the parameter at fault, one sentence for the model, without paths of the host, and
 * what only the operator is told, such as where a link leads.
 */
export function refuse(rule: string, parameter: string, message: string, reason?: string): never {
  throw new ToolError({
    code: 'guard_refused',
    rule,
    parameter,
    message,
    started: 'no',
    ...(reason === undefined ? {} : { cause: new Error(reason) }),
  })
}

/** The call is allowed and cannot be done as things are: no such file, a conflict, a file too large. Nothing changed. */
export function fail(rule: string, parameter: string, message: string, data?: unknown): never {
  throw new ToolError({
    code: 'tool_failed',
    rule,
    parameter,
    message,
    started: 'no',
    ...(data === undefined ? {} : { backend: { data } }),
  })
}

/** Ends a call whose signal was aborted. */
export function throwIfAborted(signal: AbortSignal, started: ToolError['started'] = 'no'): void {
  if (!signal.aborted) return
  throw new ToolError({ code: 'cancelled', message: 'The call was stopped.', started })
}
