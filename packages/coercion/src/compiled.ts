import type { Plan } from './plan/model.ts'
import { createPlan } from './plan/plan.ts'
import { profiles } from './providers/profile.ts'
import { loadSchema } from './schema/load.ts'
import { type LoadedDocument, type LoadedSchema } from './schema/model.ts'
import type { Provider, RegExpEngine } from './types.ts'
import { compileCheck, type Check } from './validate/ajv.ts'

/** One distinct schema, compiled: shared by all coercers with an equal schema and the same engine. */
export interface Compiled {
  readonly document: LoadedDocument
  readonly check: Check
  readonly regExp: RegExpEngine | undefined
  plan(provider: Provider): Plan
  /** Checks a part of the document; compiled when a union or an envelope first asks. */
  checkPart(schema: LoadedSchema, value: unknown): boolean
}

/** Throws only for what ajv cannot compile. */
export function compileSchema(schema: unknown, regExp: RegExpEngine | undefined): Compiled {
  const document = loadSchema(schema, { regExp })
  const plans = new Map<unknown, Plan>()
  const parts = new Map<LoadedSchema, Check>()
  return {
    document,
    regExp,
    check: compileCheck(document, document.root, regExp),
    plan(provider) {
      const rule = profiles[provider].names
      let plan = plans.get(rule)
      if (plan === undefined) {
        plan = createPlan(document, rule, regExp)
        plans.set(rule, plan)
      }
      return plan
    },
    checkPart(part, value) {
      let check = parts.get(part)
      if (check === undefined) {
        check = compileCheck(document, part, regExp)
        parts.set(part, check)
      }
      return check(value)
    },
  }
}
