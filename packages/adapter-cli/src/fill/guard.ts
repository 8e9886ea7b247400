import { ToolError } from '@callgate/spec'

/**
 * Refuses a call before anything ran (A2).
 *
 * Takes the stable name of the rule, the parameter at fault if it is one, one sentence for the model, and what only the
 * operator is told, such as where a path leads.
 */
export function refuseCall(
  rule: string,
  parameter: string | undefined,
  message: string,
  reason?: string,
): never {
  throw new ToolError({
    code: 'guard_refused',
    rule,
    ...(parameter === undefined ? {} : { parameter }),
    message,
    started: 'no',
    ...(reason === undefined ? {} : { cause: new Error(reason) }),
  })
}
