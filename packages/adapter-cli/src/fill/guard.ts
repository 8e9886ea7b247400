import { ToolError } from '@callgate/spec'

/**
 * Refuses a call before anything ran (A2).
 *
 * Takes the stable name of the rule, the parameter at fault if it is one, and one sentence for the model.
 */
export function refuseCall(rule: string, parameter: string | undefined, message: string): never {
  throw new ToolError({
    code: 'guard_refused',
    rule,
    ...(parameter === undefined ? {} : { parameter }),
    message,
    started: 'no',
  })
}
