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

/** Makes the error of a refusal; nothing was sent when it is thrown. */
export function refused(refusal: Refusal): ToolError {
  return new ToolError({
    code: 'guard_refused',
    message: refusal.message,
    rule: refusal.rule,
    started: 'no',
    ...(refusal.parameter === undefined ? {} : { parameter: refusal.parameter }),
    ...(refusal.reason === undefined ? {} : { cause: new Error(refusal.reason) }),
  })
}
