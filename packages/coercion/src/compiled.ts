import type { FieldFault } from '@callgate/spec'

import { loadSchema } from './schema/load.ts'
import type { LoadedDocument, LoadedSchema } from './schema/model.ts'
import { wildCheck } from './text/wild.ts'
import type { RegExpEngine } from './types.ts'
import { compileCheck, compileExplain, type Check, type Explain } from './validate/ajv.ts'
import { faultsOf } from './validate/faults.ts'

/** One distinct schema, compiled: shared by all coercers with an equal schema. */
export interface Compiled {
  readonly document: LoadedDocument
  /** Never true where the schema is broken. */
  readonly check: Check
  /** Makes the code that says whether what JSON.parse gave, and passes the check, may be other than what was written. */
  readonly wildCheck: () => Check
  /** Checks a part of the document; compiled when a union or an envelope first asks. */
  readonly checkPart: (schema: LoadedSchema, value: unknown) => boolean
  /** Why a value does not fit. */
  readonly explain: (value: unknown) => readonly FieldFault[]
}

/** Throws only for what ajv cannot compile. */
export function compileSchema(schema: unknown, regExp: RegExpEngine | undefined): Compiled {
  const document = loadSchema(schema, { regExp })
  const { root, problems } = document
  const parts = new Map<LoadedSchema, Check>()
  let wild: Check | undefined
  // A second, larger validator, which few schemas need for long.
  let explainer: WeakRef<Explain> | undefined
  return {
    document,
    check: problems.length > 0 ? () => false : compileCheck(document, root, regExp),
    wildCheck: () => (wild ??= wildCheck(document)),
    checkPart(part, value) {
      const check = parts.get(part) ?? compileCheck(document, part, regExp)
      parts.set(part, check)
      return check(value)
    },
    explain(value) {
      if (problems.length > 0) return problems.map(brokenSchema)
      const explain = explainer?.deref() ?? compileExplain(document, regExp)
      explainer = new WeakRef(explain)
      return faultsOf(document, explain(value))
    },
  }
}

/** What a broken schema answers to every value: nothing can be said to fit it. */
function brokenSchema(problem: { readonly path: string; readonly message: string }): FieldFault {
  const got = `a broken schema: ${problem.path} ${problem.message}`
  return { path: '', constraint: 'schema', got, expected: 'another schema' }
}
