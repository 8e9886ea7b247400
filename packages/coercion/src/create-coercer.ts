import type { JsonSchema, Repair } from '@callgate/spec'

import { compiledFor } from './cache.ts'
import { effortFor, refill } from './effort.ts'
import { hold, type Held } from './held.ts'
import { NONE } from './json.ts'
import { EFFORT } from './limits.ts'
import { hasRenames } from './plan/node.ts'
import { profileOf } from './providers/profile.ts'
import { createRepair, limitFault, type RepairSteps } from './repair.ts'
import type { Coercer, Coercion, CoercionOptions } from './types.ts'

/**
 * Makes the coercer of one tool: names restored, types repaired, result validated, in this order and in one walk
 * (R3.2 to R3.7; the policy is in the README).
 *
 * Takes the tool's own schema (not the sanitised one) of any draft from 04 to 2020-12. Nothing is compiled before
 * the first call, and equal schemas are compiled once. A valid call costs one compiled check. Without a schema, or
 * with `true`, nothing is touched and everything is valid. A broken schema does not throw here: values are never
 * valid then, and the errors say what is wrong (`checkToolSchema` says it at set-up time).
 * Throws TypeError for a provider that is not known.
 */
export function createCoercer(
  schema: JsonSchema | undefined,
  options: CoercionOptions = {},
): Coercer {
  profileOf(options.provider)
  if (schema === undefined || schema === true) return { coerce: (value) => accepted(value, NONE) }
  const held: Held = { used: true, run: undefined }
  return {
    coerce(args) {
      try {
        refill(EFFORT)
        held.used = true
        return (held.run ?? hold(held, prepare(schema, options)))(args)
      } catch {
        // A longer value may cost more.
      }
      try {
        refill(effortFor(args))
        return (held.run ?? hold(held, prepare(schema, options)))(args)
      } catch {
        return { value: args, valid: false, errors: [limitFault], repairs: NONE }
      }
    },
  }
}

function accepted(value: unknown, repairs: readonly Repair[]): Coercion {
  return { value, valid: true, errors: NONE, repairs }
}

/** What a coercer does from its first call on; what only repairs need is made for the first of them. */
function prepare(schema: JsonSchema, options: CoercionOptions): Coercer['coerce'] {
  const compiled = compiledFor(schema, options.regExp)
  const renames = hasRenames(compiled.document, profileOf(options.provider))
  const check = renames ? () => false : compiled.check
  let steps: RepairSteps | undefined
  // Who writes numbers as text does it in one call after the other, so the check that would fail is put off.
  let habit = false
  const quickly = (args: unknown): Coercion | undefined => {
    const repairs: Repair[] = []
    const value = steps?.quick?.(args, repairs, '')
    habit = repairs.length > 0 && check(value)
    return habit ? accepted(value, repairs) : undefined
  }
  return (args) => {
    const early = habit ? quickly(args) : undefined
    if (early) return early
    if (check(args)) return accepted(args, NONE)
    steps ??= createRepair(compiled, options)
    return quickly(args) ?? steps.walk(args)
  }
}
