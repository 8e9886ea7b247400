import type { FieldFault, JsonSchema, Repair } from '@callgate/spec'

import { compiledFor } from './cache.ts'
import { EFFORT, effortFor, refill } from './effort.ts'
import { NONE } from './json.ts'
import { createPlan, nodeOf } from './plan/node.ts'
import { profiles } from './providers/profile.ts'
import { DEPTH_LIMIT, SIZE_LIMIT } from './text/fault.ts'
import type { Coercer, Coercion, CoercionOptions } from './types.ts'
import { withoutBigints } from './validate/bigints.ts'
import { otherArguments } from './walk/arguments.ts'
import { coerceValue } from './walk/coerce-value.ts'
import { quickOf } from './walk/quick.ts'
import { startWalk, walkSettings } from './walk/start.ts'

/** Too deep for the stack, or more steps than any honest call needs. */
const limitFault: FieldFault = {
  path: '',
  constraint: 'limit',
  got: 'a value that is too deep or too slow to check',
  expected: 'a simpler value',
}

/**
 * Makes the coercer of one tool: names restored, types repaired, result validated, in this order and in one walk
 * (R3.2 to R3.7; the policy is in the README).
 *
 * Takes the tool's own schema (not the sanitised one) of any draft from 04 to 2020-12. Nothing is compiled before
 * the first call, and equal schemas are compiled once. A valid call costs one compiled check. Without a schema, or
 * with `true`, nothing is touched and everything is valid. A broken schema does not throw here: values are never
 * valid then, and the errors say what is wrong (`checkToolSchema` says it at set-up time).
 */
export function createCoercer(
  schema: JsonSchema | undefined,
  options: CoercionOptions = {},
): Coercer {
  if (schema === undefined || schema === true) return { coerce: accepted }
  let run: Coercer['coerce'] | undefined
  return {
    coerce(args) {
      try {
        refill(EFFORT)
        return (run ??= prepare(schema, options))(args)
      } catch {
        // A longer value may cost more.
      }
      try {
        refill(effortFor(args))
        return (run ??= prepare(schema, options))(args)
      } catch {
        return { value: args, valid: false, errors: [limitFault], repairs: NONE }
      }
    },
  }
}

function accepted(value: unknown): Coercion {
  return { value, valid: true, errors: NONE, repairs: NONE }
}

/** What a coercer does from its first call on. */
function prepare(
  schema: JsonSchema,
  { regExp, provider = 'any', limits = {} }: CoercionOptions,
): Coercer['coerce'] {
  const { check, checkPart, document, explain } = compiledFor(schema, regExp)
  const plan = createPlan(document, profiles[provider].names, regExp)
  const root = nodeOf(plan, document.root)
  const { depth = DEPTH_LIMIT, bytes = SIZE_LIMIT } = limits
  const settings = walkSettings({ depth, bytes, namesOnly: false, check: checkPart })
  // A bigint stands for an integer that a double would change; the validator sees it as that double.
  const isValid = (value: unknown): boolean => check(value) || check(withoutBigints(value))

  const repair = (args: unknown): Coercion => {
    // The first pass does not go into text that it parsed: if all is valid then, nothing inside needs a repair.
    let walk = startWalk(settings, plan.rule !== undefined)
    let value = coerceValue(walk, root, args, '')
    let valid = isValid(value)
    if (!valid) {
      const again = startWalk(settings, true)
      const other = otherArguments(again, root, args)
      if (other !== undefined || walk.skippedText) {
        walk = again
        value = coerceValue(walk, root, other ?? args, '')
        valid = isValid(value)
      }
    }
    let errors = valid ? NONE : explain(withoutBigints(value))
    if (!valid && errors.length === 0) errors = [limitFault]
    return { value, valid, errors, repairs: walk.repairs }
  }
  if (plan.rule) return repair
  return (args) => {
    if (check(args)) return accepted(args)
    const repairs: Repair[] = []
    const value = quickOf(root)?.(args, '', repairs)
    const done = repairs.length > 0 && check(value)
    return done ? { value, valid: true, errors: NONE, repairs } : repair(args)
  }
}
