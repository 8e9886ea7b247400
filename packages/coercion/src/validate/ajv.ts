import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'

import { judgePattern } from '../patterns/admit.ts'
import type { LoadedDocument, LoadedSchema } from '../schema/model.ts'
import type { RegExpEngine } from '../types.ts'
import { hasEqualItems } from './unique.ts'

export type Check = (value: unknown) => boolean
export type Explain = (value: unknown) => readonly ErrorObject[]

/** How many applications of referenced schemas one check may take; unions in rings double with every level. */
const STEPS = 1_000_000
let stepsLeft = 0

/** ajv keeps everything an instance ever compiled, so an instance is given up after this many schemas. */
const SCHEMAS = 200
const shared = new Map<boolean, { readonly ajv: Ajv2020; compiled: number }>()

/** A compiled check of a part of a document, which stops at the first fault. Throws where ajv cannot compile. */
export function compileCheck(
  document: LoadedDocument,
  schema: LoadedSchema,
  regExp: RegExpEngine | undefined,
): Check {
  const validate = compile(document, schema, regExp, false)
  return (value) => run(validate, value)
}

/** A compiled check of a document that gives all faults, each with its schema; none where it had to give up. */
export function compileExplain(
  document: LoadedDocument,
  regExp: RegExpEngine | undefined,
): Explain {
  const validate = compile(document, document.root, regExp, true)
  return (value) => {
    validate.errors = null
    run(validate, value)
    return validate.errors ?? []
  }
}

/** False also where the check gives up: a ring of references, too many steps, too deep for the stack. */
function run(validate: ValidateFunction, value: unknown): boolean {
  stepsLeft = STEPS
  try {
    return validate(value)
  } catch {
    return false
  }
}

function compile(
  document: LoadedDocument,
  schema: LoadedSchema,
  regExp: RegExpEngine | undefined,
  explain: boolean,
): ValidateFunction {
  const whole = typeof schema === 'boolean' ? schema : { ...schema, $defs: document.defs }
  const ajv = instanceFor(document.inheritedNames, regExp, explain)
  const validate = ajv.compile(whole)
  ajv.removeSchema(whole)
  return validate
}

/** Most schemas share one of two instances, since making one costs more than compiling a schema. */
function instanceFor(
  ownProperties: boolean,
  regExp: RegExpEngine | undefined,
  explain: boolean,
): Ajv2020 {
  if (regExp || ownProperties) return createInstance(ownProperties, regExp, explain)
  let instance = shared.get(explain)
  if (instance === undefined || instance.compiled++ >= SCHEMAS) {
    instance = { ajv: createInstance(false, undefined, explain), compiled: 0 }
    shared.set(explain, instance)
  }
  return instance.ajv
}

function createInstance(
  ownProperties: boolean,
  regExp: RegExpEngine | undefined,
  explain: boolean,
): Ajv2020 {
  // ajv tells patterns apart by their text.
  const engine = (pattern: string): { test(text: string): boolean; toString(): string } => {
    return { ...judgePattern(pattern, regExp), toString: () => pattern }
  }
  const ajv = new Ajv2020({
    strict: false,
    strictNumbers: true,
    meta: false,
    validateSchema: false,
    messages: false,
    ownProperties,
    allErrors: explain,
    verbose: explain,
    code: { regExp: Object.assign(engine, { code: '' }) },
  })
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    validate: (wanted: boolean, items: readonly unknown[]) => !wanted || !hasEqualItems(items),
  })
  // Stands in every referenced schema: ends checks whose time would double with each level.
  ajv.addKeyword({ keyword: 'countStep', schema: false, validate: countStep })
  return ajv
}

function countStep(): boolean {
  if (--stepsLeft < 0) throw new Error()
  return true
}
