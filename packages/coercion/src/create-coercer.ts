import type { FieldFault, JsonSchema, Repair } from '@callgate/spec'

import { compiledFor } from './cache.ts'
import type { Compiled } from './compiled.ts'
import { refillPatternSteps } from './patterns/admit.ts'
import type { Plan } from './plan/model.ts'
import { brokenSchemaFaults } from './schema/broken.ts'
import { DEPTH_LIMIT, SIZE_LIMIT } from './text/fault.ts'
import type { Coercer, Coercion, CoercionOptions } from './types.ts'
import { withoutBigints } from './validate/bigints.ts'
import { explainFaults } from './validate/explain.ts'
import { otherArguments } from './walk/arguments.ts'
import { coerceValue } from './walk/coerce-value.ts'
import { startWalk, walkSettings } from './walk/start.ts'
import type { WalkSettings } from './walk/walk.ts'

const NO_FAULTS: readonly FieldFault[] = Object.freeze([])
const NO_REPAIRS: readonly Repair[] = Object.freeze([])

/** A coercer after its first call. */
interface Ready {
  readonly compiled: Compiled
  readonly plan: Plan
  readonly settings: WalkSettings
  /** The schema is not broken. */
  readonly sound: boolean
  /** A valid value needs nothing more: the schema is not broken, and no name is shown differently. */
  readonly direct: boolean
  /** Keeps the shared entry of the cache alive. */
  readonly entry: unknown
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
  let ready: Ready | undefined
  return {
    coerce(args) {
      try {
        ready ??= prepare(schema, options)
        refillPatternSteps()
        if (ready.direct && ready.compiled.check(args)) return accepted(args)
        return repairArguments(ready, args)
      } catch {
        // Too deep for the stack, or more steps than any honest call needs.
        return { value: args, valid: false, errors: [limitFault], repairs: NO_REPAIRS }
      }
    },
  }
}

const limitFault: FieldFault = {
  path: '',
  constraint: 'limit',
  got: 'a value or a schema that is too deep or takes too long to check',
  expected: 'a simpler value',
}

function prepare(schema: JsonSchema, { regExp, provider, limits }: CoercionOptions): Ready {
  const entry = compiledFor(schema, regExp)
  const { compiled } = entry
  const plan = compiled.plan(provider ?? 'any')
  const settings = walkSettings({
    depth: limits?.depth ?? DEPTH_LIMIT,
    bytes: limits?.bytes ?? SIZE_LIMIT,
    namesOnly: false,
    check: (part, value) => compiled.checkPart(part, value),
  })
  const sound = compiled.document.problems.length === 0
  return { entry, compiled, plan, settings, sound, direct: sound && !plan.renames }
}

function accepted(value: unknown): Coercion {
  return { value, valid: true, errors: NO_FAULTS, repairs: NO_REPAIRS }
}

function repairArguments(ready: Ready, args: unknown): Coercion {
  const { compiled, plan, settings } = ready
  // The first pass does not go into text that it parsed: if all is valid then, nothing inside needs a repair.
  let walk = startWalk(settings, plan.renames)
  let value = coerceValue(walk, plan.root, args, '')
  let valid = isValid(compiled, value)
  if (!valid) {
    const whole = startWalk(settings, true)
    const other = otherArguments(whole, plan.root, args)
    if (other !== undefined || walk.skippedText) {
      walk = whole
      value = coerceValue(walk, plan.root, other ?? args, '')
      valid = isValid(compiled, value)
    }
  }
  if (valid && ready.sound) return { value, valid, errors: NO_FAULTS, repairs: walk.repairs }
  const errors = ready.sound ? explain(compiled, value) : brokenSchemaFaults(compiled.document)
  return { value, valid: false, errors, repairs: walk.repairs }
}

/** A bigint stands for an integer that a double would change; the validator sees it as that double. */
function isValid(compiled: Compiled, value: unknown): boolean {
  return compiled.check(value) || compiled.check(withoutBigints(value))
}

function explain(compiled: Compiled, value: unknown): readonly FieldFault[] {
  const faults = explainFaults(compiled, withoutBigints(value))
  return faults.length > 0 ? faults : [limitFault]
}
