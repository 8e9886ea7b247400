import type { ToolEffects } from '@callgate/spec'

import { isRecord } from '../record.ts'

/**
 * What the hints of a server say about effects. They are only claims: for a server that is not trusted they may
 * narrow (a destructive tool), and never widen (a tool that is said to change nothing).
 */
export function effectsOf(annotations: unknown, trusted: boolean): ToolEffects {
  const hints = isRecord(annotations) ? annotations : {}
  const says = (hint: string): boolean => hints[hint] === true || hints[hint] === 'true'
  const readOnly = says('readOnlyHint')
  const destructive = says('destructiveHint') && !(trusted && readOnly)
  return {
    ...(destructive ? { destructive: true } : {}),
    ...(trusted && readOnly ? { readOnly: true, concurrency: 'parallel' } : {}),
    ...(trusted && (readOnly || says('idempotentHint')) ? { idempotent: true } : {}),
  }
}
