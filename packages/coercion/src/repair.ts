import type { FieldFault } from '@callgate/spec'

import type { Compiled } from './compiled.ts'
import { spendOn } from './effort.ts'
import type { Steps } from './held.ts'
import { NONE } from './json.ts'
import type { PlanNode } from './plan/model.ts'
import { planOf } from './plan/node.ts'
import type { CoercionOptions } from './types.ts'
import { replaceBigints } from './validate/bigints.ts'
import { otherArguments } from './walk/arguments.ts'
import { coerceValue } from './walk/coerce-value.ts'
import { quickOf, type Quick } from './walk/quick.ts'
import { startWalk } from './walk/start.ts'
import { sameJson } from './walk/walk.ts'

/** Too deep for the stack, or more steps than any honest call needs. */
export const limitFault: FieldFault = {
  path: '',
  constraint: 'limit',
  got: 'a value that is too deep or too slow to check',
  expected: 'a simpler value',
}

/** What is done with arguments that do not fit as they came: generated code for what is met most, and the walk. */
export interface RepairSteps {
  readonly quick: Quick | undefined
  readonly walk: Steps['coerce']
}

export function createRepair(
  { check, checkPart, document, explain }: Compiled,
  options: CoercionOptions,
): RepairSteps {
  const { limits } = options
  // A plan is larger than all else and quickly made, so it may go when memory is wanted.
  let planned: WeakRef<PlanNode> | undefined
  const rootNode = (): PlanNode => {
    const root = planned?.deref() ?? planOf(document, options)
    planned = new WeakRef(root)
    return root
  }
  // A bigint stands for an integer that a double would change; the validator sees it as that double.
  const plainOf = (value: unknown): unknown => {
    spendOn(value)
    return replaceBigints(value, Number)
  }
  const isValid = (value: unknown): boolean => {
    if (check(value)) return true
    const plain = plainOf(value)
    return plain !== value && check(plain)
  }

  const walk: Steps['coerce'] = (args, how) => {
    const settings = { ...limits, check: checkPart, bigints: how?.bigints ?? 'text' }
    const root = rootNode()
    // The first pass does not go into text that it parsed: if all is valid then, nothing inside needs a repair.
    let last = startWalk(settings, root.plan.renames)
    let value = coerceValue(last, root, args, '')
    let valid = isValid(value)
    if (!valid) {
      const again = startWalk(settings, true)
      const other = otherArguments(again, root, args)
      if (other !== undefined || last.skippedText) {
        last = again
        value = coerceValue(last, root, other ?? args, '')
        valid = isValid(value)
      }
    }
    // Where parts of a schema contradict each other, one may undo what the other did.
    if (!valid && sameJson(value, args)) {
      value = args
      last.repairs.length = 0
    }
    let errors = valid ? NONE : explain(plainOf(value))
    if (!valid && errors.length === 0) errors = [limitFault]
    return { value, valid, errors, repairs: last.repairs }
  }
  return { quick: limits?.depth ? undefined : quickOf(rootNode()), walk }
}
