import { ToolError } from '@callgate/spec'

/** Why a value or an address is refused. */
export interface Refusal {
  /** The stable name of the rule, for operators and tests. */
  readonly rule: string
  /** One short sentence for the model; it names no address. */
  readonly message: string
  /** The reason in full, for the operator; becomes the `cause` of the error. */
  readonly reason?: string
  readonly parameter?: string
}

/**
 * Makes the error of a refusal. Nothing was sent when it is thrown, but for a refused redirect: the request before it
 * was answered, so its effect may be there.
 */
export function refused(refusal: Refusal): ToolError {
  return new ToolError({
    code: 'guard_refused',
    message: refusal.message,
    rule: refusal.rule,
    started: refusal.rule === 'redirect' ? 'yes' : 'no',
    ...(refusal.parameter === undefined ? {} : { parameter: refusal.parameter }),
    ...(refusal.reason === undefined ? {} : { cause: new Error(refusal.reason) }),
  })
}
