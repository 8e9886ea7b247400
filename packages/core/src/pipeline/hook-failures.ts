import type { HookOutcome } from '@callgate/hooks'

import { maxMessage, maxName, shortened } from '../results/cut-text.ts'
import { failure, type Failure } from '../results/failure.ts'
import { firstLine } from '../results/first-line.ts'
import { maskSecretFields, type Redactor } from '../results/redact.ts'
import { textOfThrown } from '../results/thrown.ts'

type BlockedBy = NonNullable<HookOutcome<object>['blockedBy']>

/** What the model reads of a hook that refused, or that failed and so refused. */
export function hookFailure({ hook: id, message, fault }: BlockedBy, redactor: Redactor): Failure {
  const hook = shortened(id, maxName)
  if (fault === undefined) {
    const said = message ?? `The hook "${hook}" refused this call.`
    return failure('hook_blocked', shortened(said, maxMessage), {
      rule: hook,
      hint: 'Do not send this call again unchanged.',
    })
  }
  const why = redactor.text(textOfThrown(fault))
  return failure(
    'hook_failed',
    `The hook "${hook}" failed, so the call was refused: ${firstLine(why)}`,
    {
      rule: hook,
    },
  )
}

/** What the audit keeps of the hooks of one event. */
export class HookNote {
  readonly event: string
  readonly hooks: unknown

  constructor(event: string, hooks: HookOutcome<object>['trace']) {
    this.event = event
    this.hooks = hooks.some(({ fault }) => fault !== undefined) ? maskSecretFields(hooks) : hooks
  }
}
