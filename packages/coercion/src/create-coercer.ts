import type { JsonSchema, Repair } from '@callgate/spec'

import { compiledFor } from './cache.ts'
import { effortFor, refill } from './effort.ts'
import { hold, type Held, type Steps } from './held.ts'
import { NONE } from './json.ts'
import { EFFORT } from './limits.ts'
import { hasRenames } from './plan/node.ts'
import { profileOf } from './providers/profile.ts'
import { createRepair, limitFault, type RepairSteps } from './repair.ts'
import type { TextFault } from './text/fault.ts'
import { readArguments, strictFields } from './text/parse-arguments.ts'
import { isTame } from './text/parse-strict.ts'
import type { Coercer, Coercion, CoercionOptions, TextCoercion } from './types.ts'

/**
 * Makes the coercer of one tool: names restored, types repaired, result validated, in this order and in one walk
 * (R3.2 to R3.7; the policy is in the README).
 *
 * Takes the tool's own schema (not the sanitised one) of any draft from 04 to 2020-12. Nothing is compiled before
 * the first call, and equal schemas are compiled once. A valid call costs one compiled check. Without a schema, or
 * with `true`, no arguments are touched and all are valid. A broken schema does not throw here: values are never
 * valid then, and the errors say what is wrong (`checkToolSchema` says it at set-up time).
 * Throws TypeError for a provider that is not known.
 */
export function createCoercer(
  schema: JsonSchema | undefined = true,
  options: CoercionOptions = {},
): Coercer {
  profileOf(options.provider)
  const held: Held = { used: true, steps: undefined }
  const ready = (): Steps => {
    held.used = true
    return held.steps ?? hold(held, prepare(schema, options))
  }
  const coerce: Steps['coerce'] = (args, how) => {
    try {
      refill(EFFORT)
      return ready().coerce(args, how)
    } catch {
      // A longer value may cost more.
    }
    try {
      refill(effortFor(args))
      return ready().coerce(args, how)
    } catch {
      return { value: args, valid: false, errors: [limitFault], repairs: NONE }
    }
  }
  const reread: Coercer['coerceText'] = (text, how) => {
    const read = readArguments(text, how)
    if (!read.ok) return unread(text, read.fault)
    const coercion = coerce(read.value, how)
    return { ...coercion, repairs: [...read.repairs, ...coercion.repairs] }
  }
  return {
    coerce: (args) => coerce(args),
    coerceText(text, how) {
      const fields = strictFields(text)
      try {
        refill(EFFORT)
        const steps = ready()
        if (fields && !steps.habit && steps.check(fields)) {
          if (!steps.isWild(fields)) return accepted(fields, NONE)
        } else if (fields && isTame(fields)) return steps.coerce(fields, how)
      } catch {
        // A longer text may cost more.
      }
      return reread(text, how)
    },
  }
}

function accepted(value: unknown, repairs: readonly Repair[]): Coercion {
  return { value, valid: true, errors: NONE, repairs }
}

function unread(value: string, fault: TextFault): TextCoercion {
  const { kind: constraint, message } = fault
  const got = `a text that cannot be read: ${message}`
  const errors = [{ path: '', constraint, got, expected: 'a JSON object' }]
  return { value, valid: false, errors, repairs: NONE, fault }
}

/** What a coercer does from its first call on; what only some calls need is made for the first of them. */
function prepare(schema: JsonSchema, options: CoercionOptions): Steps {
  const compiled = compiledFor(schema, options.regExp)
  const renames = hasRenames(compiled.document, profileOf(options.provider))
  const check = renames ? () => false : compiled.check
  let repair: RepairSteps | undefined
  const quickly = (args: unknown): Coercion | undefined => {
    const repairs: Repair[] = []
    const value = repair?.quick?.(args, repairs, '')
    steps.habit = repairs.length > 0 && check(value)
    return steps.habit ? accepted(value, repairs) : undefined
  }
  const steps: Steps = {
    habit: false,
    check,
    isWild: (fields) => (steps.isWild = compiled.wildCheck())(fields),
    coerce(args, how) {
      const early = steps.habit ? quickly(args) : undefined
      if (early) return early
      if (check(args)) return accepted(args, NONE)
      repair ??= createRepair(compiled, options)
      return quickly(args) ?? repair.walk(args, how)
    },
  }
  return steps
}
