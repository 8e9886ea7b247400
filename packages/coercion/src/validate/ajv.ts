import {
  Ajv2020,
  type ErrorObject,
  type KeywordCxt,
  type ValidateFunction,
  _,
} from 'ajv/dist/2020.js'

import { patternMatcher } from '../patterns/admit.ts'
import type { LoadedDocument, LoadedSchema } from '../schema/model.ts'
import type { RegExpEngine } from '../types.ts'
import { sameItems } from './unique.ts'

export type Check = (value: unknown) => boolean
export type Explain = (value: unknown) => readonly ErrorObject[]

interface Kind {
  readonly inheritedNames: boolean
  readonly regExp: RegExpEngine | undefined
  readonly explain: boolean
}

/** How many applications of referenced schemas one check may take; unions in rings double with every level. */
const STEPS = 1_000_000
/** ajv keeps everything an instance ever compiled, so an instance is given up after this many schemas. */
const SCHEMAS = 200

const steps = { left: 0 }

interface Shared {
  readonly ajv: Ajv2020
  compiled: number
}
const plain = new Map<string, Shared>()
const byEngine = new WeakMap<RegExpEngine, Map<string, Shared>>()

/** A compiled check of one part of a document: one ajv function that stops at the first fault. Throws where ajv cannot compile. */
export function compileCheck(
  document: LoadedDocument,
  schema: LoadedSchema,
  regExp: RegExpEngine | undefined,
): Check {
  const { inheritedNames } = document
  const validate = compile(document, schema, { inheritedNames, regExp, explain: false })
  return (value) => {
    steps.left = STEPS
    return validate(value)
  }
}

/** The same, but gives all faults, with the schema of each. */
export function compileExplain(
  document: LoadedDocument,
  regExp: RegExpEngine | undefined,
): Explain {
  const { inheritedNames, root } = document
  const validate = compile(document, root, { inheritedNames, regExp, explain: true })
  return (value) => {
    steps.left = STEPS
    return validate(value) ? [] : (validate.errors ?? [])
  }
}

function compile(document: LoadedDocument, schema: LoadedSchema, kind: Kind): ValidateFunction {
  if (typeof schema === 'boolean') return compileWhole(schema, kind)
  return compileWhole({ ...schema, $defs: document.defs }, kind)
}

function compileWhole(schema: boolean | object, kind: Kind): ValidateFunction {
  const ajv = instanceFor(kind)
  const validate = ajv.compile(schema)
  ajv.removeSchema(schema)
  return validate
}

function instanceFor(kind: Kind): Ajv2020 {
  let instances = plain
  if (kind.regExp) {
    instances = byEngine.get(kind.regExp) ?? new Map<string, Shared>()
    byEngine.set(kind.regExp, instances)
  }
  const key = `${kind.inheritedNames} ${kind.explain}`
  let shared = instances.get(key)
  if (shared === undefined || shared.compiled >= SCHEMAS) {
    shared = { ajv: createInstance(kind), compiled: 0 }
    instances.set(key, shared)
  }
  shared.compiled++
  return shared.ajv
}

function createInstance({ inheritedNames, regExp, explain }: Kind): Ajv2020 {
  const engine = Object.assign(
    (pattern: string) => ({
      ...matcherOf(pattern, regExp),
      // ajv tells patterns apart by their text.
      toString: () => pattern,
    }),
    { code: 'new RegExp' },
  )
  const ajv = new Ajv2020({
    strict: false,
    strictNumbers: true,
    meta: false,
    validateSchema: false,
    validateFormats: false,
    addUsedSchema: false,
    messages: false,
    logger: false,
    ownProperties: inheritedNames,
    allErrors: explain,
    verbose: explain,
    code: { regExp: engine },
  })
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({ keyword: 'uniqueItems', type: 'array', validate: uniqueItems })
  ajv.addKeyword({ keyword: 'countStep', code: countStep })
  return ajv
}

function matcherOf(
  pattern: string,
  regExp: RegExpEngine | undefined,
): { test(text: string): boolean } {
  const matcher = patternMatcher(pattern, regExp)
  return { test: (text) => matcher.test(text) }
}

function uniqueItems(wanted: boolean, items: readonly unknown[]): boolean {
  return !wanted || !sameItems(items)
}

class StepLimit extends Error {}

/** Stands in every referenced schema: ends checks whose time would double with each level. */
function countStep(context: KeywordCxt): void {
  const counter = context.gen.scopeValue('obj', { ref: steps })
  const limit = context.gen.scopeValue('func', { ref: StepLimit })
  context.gen.if(_`--${counter}.left < 0`, () => context.gen.code(_`throw new ${limit}()`))
}
