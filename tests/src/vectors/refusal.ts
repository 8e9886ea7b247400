import { CallgateError, type ToolResult } from '@callgate/spec'

import type { AttackVector } from './attacks.ts'

/** How an attack was stopped: by which rule, when, and what is missing in how that was said. */
export interface Refusal {
  readonly stage: 'load' | 'call'
  readonly rule: string
  readonly faults: readonly string[]
}

/** Registers a tool; gives back why it was refused, or undefined. */
export function refusedAtLoad(register: () => void): Refusal | undefined {
  try {
    register()
    return undefined
  } catch (error) {
    if (!CallgateError.isInstance(error)) throw error
    const { rule, where, hint } = error
    const faults = [
      ...(where === undefined ? ['does not say which tool'] : []),
      ...(hint === undefined ? ['does not say what to do'] : []),
    ]
    return { stage: 'load', rule: rule ?? 'none', faults }
  }
}

/** Reads a result that is not ok. */
export function refusedCall(result: ToolResult): Refusal {
  const rule = ruleOf(result)
  const { error, metadata } = result
  const isGuard = error?.code === 'guard_refused' || error?.code === 'invalid_arguments'
  // A refused redirect comes after the first request was answered.
  const hasStarted = metadata.outcome !== 'not_started' && rule !== 'redirect'
  const faults = [
    ...(isGuard ? [] : [`code ${error?.code} is no refusal`]),
    ...(hasStarted ? [`outcome ${metadata.outcome}`] : []),
  ]
  return { stage: 'call', rule, faults }
}

/** The rule of a refusal; a fault of the arguments is named by the word of the schema that it breaks. */
function ruleOf({ error }: ToolResult): string {
  const constraint = error?.fields?.[0]?.constraint
  if (constraint === 'additionalProperties') return 'unknown-param'
  return error?.rule ?? constraint ?? error?.code ?? 'none'
}

/** What differs between a refusal and what must be; a refusal by another rule is no protection. */
export function judgeRefusal(vector: AttackVector, refusal: Refusal): readonly string[] {
  const { rule, stage, faults } = refusal
  if (vector.must !== 'refuse') return vector.also_ok === 'refuse' ? [] : [`refused by ${rule}`]
  return [
    ...(rule === vector.rule ? [] : [`rule ${rule} instead of ${vector.rule}`]),
    // A declaration that could never be called may be refused earlier, never later.
    ...(vector.stage === 'load' && stage === 'call' ? ['was registered'] : []),
    ...faults,
  ]
}
