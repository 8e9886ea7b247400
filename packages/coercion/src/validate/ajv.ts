import {
  _,
  Ajv2020,
  Name,
  nil,
  type Code,
  type CodeKeywordDefinition,
  type ErrorObject,
  type KeywordCxt,
  type ValidateFunction,
} from 'ajv/dist/2020.js'

import { effort, refill, spend, spendOn } from '../effort.ts'
import {
  BRANCH_EFFORT,
  COMPARED_MEMBERS,
  ERRORS,
  EXPLANATION_EFFORT,
  INSTANCE_SCHEMAS,
  REFERENCE_EFFORT,
  WIDE,
} from '../limits.ts'
import { judgePattern } from '../patterns/admit.ts'
import type { LoadedDocument, LoadedSchema } from '../schema/model.ts'
import { sizeOf } from '../schema/size.ts'
import type { RegExpEngine } from '../types.ts'
import { canonicalJson, hasEqualItems } from './unique.ts'

export type Check = (value: unknown) => boolean
export type Explain = (value: unknown) => readonly ErrorObject[]

/** Whether code goes on after the first fault, and whether it says what and why the faults are. */
interface Mode {
  readonly allErrors: boolean
  readonly verbose?: boolean
}

type Options = Mode & Pick<LoadedDocument, 'ownProperties' | 'unevaluated'>

/** The keywords that go through all of a list, an object or a text. */
const loops =
  'items contains unevaluatedItems minLength maxLength additionalProperties patternProperties propertyNames unevaluatedProperties'

const shared = new Map<string, { readonly ajv: Ajv2020; compiled: number }>()

/**
 * A compiled check of a part of a document, which stops at the first fault. Throws where ajv cannot compile; the check
 * throws where a call costs too much, or a ring of references or a deep value is too much for the stack.
 */
export function compileCheck(
  document: LoadedDocument,
  schema: LoadedSchema,
  regExp: RegExpEngine | undefined,
): Check {
  // Code that stops takes a missing "" for none that is missing.
  const wide = document.nameLists.some((names) => names.length > WIDE || names.includes(''))
  try {
    const check = compile(document, schema, regExp, { allErrors: wide })
    // The engine reads the code when it is first called.
    check(undefined)
    return check
  } catch {
    return compile(document, schema, regExp, { allErrors: true })
  }
}

/** A compiled check of a document that gives all faults, each with its schema; none where it had to give up. */
export function compileExplain(
  document: LoadedDocument,
  regExp: RegExpEngine | undefined,
): Explain {
  const validate = compile(document, document.root, regExp, { allErrors: true, verbose: true })
  return (value) => {
    refill(EXPLANATION_EFFORT)
    try {
      validate(value)
    } catch (error) {
      return (error as Partial<Enough>).errors ?? []
    }
    return validate.errors ?? []
  }
}

function compile(
  { defs, ownProperties, unevaluated }: LoadedDocument,
  whole: LoadedSchema,
  regExp: RegExpEngine | undefined,
  mode: Mode,
): ValidateFunction {
  const $defs: Record<string, object> = {}
  for (const [name, definition] of Object.entries(defs)) $defs[name] = { definition }
  const schema = { whole, $defs }
  const options = { ...mode, ownProperties, unevaluated }
  const ajv = regExp ? createInstance(options, regExp) : sharedInstance(options)
  const validate = ajv.compile(schema)
  ajv.removeSchema(schema)
  return validate
}

/** Most schemas share an instance, since making one costs more than compiling a schema. */
function sharedInstance(options: Options): Ajv2020 {
  const key = JSON.stringify(options)
  let instance = shared.get(key)
  if (instance === undefined || instance.compiled++ >= INSTANCE_SCHEMAS) {
    instance = { ajv: createInstance(options, undefined), compiled: 0 }
    shared.set(key, instance)
  }
  return instance.ajv
}

function createInstance(options: Options, regExp: RegExpEngine | undefined): Ajv2020 {
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
    logger: false,
    ...options,
    code: { es5: true, optimize: false, regExp: Object.assign(engine, { code: '' }) },
  })
  // Without need of it, code that keeps what is evaluated is slower, and throws for some unions beside patterns of names.
  Object.assign(ajv.opts, { unevaluated: options.unevaluated, dynamicRef: false })
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    validate(wanted: boolean, items: readonly unknown[]) {
      if (wanted) spendOn(items)
      return !wanted || !hasEqualItems(items)
    },
  })
  for (const values of ['enum', 'const']) around(ajv, values, codeMembers)
  around(ajv, 'multipleOf', codeMultiple)
  for (const failing of ['anyOf', 'oneOf', '$ref']) around(ajv, failing, codeFailing)
  around(ajv, 'unevaluatedProperties', codeUnevaluated)
  for (const loop of loops.split(' ')) around(ajv, loop, codeLoop)
  ajv.addKeyword({
    keyword: ['whole', 'definition'],
    code: codePart,
  })
  return ajv
}

type KeywordCode = CodeKeywordDefinition['code']

/** Code that calls a function. */
function callOf({ gen }: KeywordCxt, ref: unknown, argument: Code | number): Code {
  return _`${gen.scopeValue('func', { ref })}(${argument})`
}

/** Code for `spend`, of which a call would cost more than the check of a short list. */
function codeSpend({ gen }: KeywordCxt, units: Code | number): void {
  const ref = gen.scopeValue('func', { ref: effort })
  gen.code(_`if((${ref}.left-=${units})<0)throw 0`)
}

/** Puts code of our own around that of a keyword. */
function around(
  ajv: Ajv2020,
  keyword: string,
  own: (context: KeywordCxt, code: KeywordCode) => void,
): void {
  const definition = ajv.getKeyword(keyword) as CodeKeywordDefinition
  const { code } = definition
  definition.code = (context) => own(context, code)
}

/** Ends an explanation that has more errors than are read. */
type Enough = Error & { readonly errors: readonly ErrorObject[] }

/**
 * A union explains why each of its branches fails, and a reference hands on what it explains, so a list of them makes
 * more errors than memory is quick for.
 */
function codeFailing(context: KeywordCxt, code: KeywordCode): void {
  const { gen, it, keyword, schema } = context
  // Inside another union, and behind a reference, which may be in one, nothing is known to be a fault yet.
  const inner = it.compositeRule ?? it.schemaEnv !== it.schemaEnv.root
  const ref = (errors: readonly ErrorObject[] | null): void => {
    if (!errors) return
    // All errors are copied where those of a reference are put behind them.
    if (inner) spend(keyword === '$ref' ? errors.length >> 2 : schema.length * BRANCH_EFFORT)
    else if (errors.length > ERRORS) throw Object.assign(new Error(), { errors })
  }
  const look = it.opts.verbose ? callOf(context, ref, _`vErrors`) : nil
  if (!inner) gen.code(look)
  code(context)
  if (inner) gen.code(look)
}

/**
 * Looks a value up, where comparing it with one member after the other is slow. Members with fields, too: ajv would
 * call the `toString` of a value that has such a field.
 */
function codeMembers(context: KeywordCxt, code: KeywordCode): void {
  const list: unknown[] = context.keyword === 'enum' ? context.schema : [context.schema]
  if (list.length <= COMPARED_MEMBERS && list.every((one) => Object(one) !== one))
    return code(context)
  const members = new Set(list.map(canonicalJson))
  const ref = (value: unknown): boolean => {
    spendOn(value)
    return members.has(canonicalJson(value))
  }
  context.pass(callOf(context, ref, context.data))
}

/**
 * Of doubles 0.07 is no multiple of 0.01: what is to be one of a decimal is one by the decimals, which are looked at to
 * 15 digits.
 */
function codeMultiple(context: KeywordCxt, code: KeywordCode): void {
  const { data, schema } = context
  if (schema % 1 === 0) return code(context)
  const near = _`(Math.round(${data} / ${schema}) * ${schema})`
  context.pass(_`${near} === ${data} || +${near}.toPrecision(15) === ${data}`)
}

/** A value that stands in many places, or is looked at in many ways, is gone through each time. */
function codeLoop(context: KeywordCxt, code: KeywordCode): void {
  const { data, keyword, schema } = context
  const steps = /rop/.test(keyword) ? _`Object.keys(${data}).length` : _`${data}.length`
  if (typeof schema !== 'boolean') codeSpend(context, steps)
  code(context)
}

/** The names that were evaluated are kept in an object, which must not seem to have those that every object inherits. */
function codeUnevaluated(context: KeywordCxt, code: KeywordCode): void {
  const { gen, it } = context
  if (it.props instanceof Name) gen.code(_`Object.setPrototypeOf(Object(${it.props}), null)`)
  code(context)
}

/** Code that only says whether a value fits is a third of the code that also says why. */
function codePart(context: KeywordCxt): void {
  const { gen, it, keyword, schema } = context
  // Ends checks whose time would double with each level.
  if (keyword === 'definition') {
    codeSpend(context, REFERENCE_EFFORT + (sizeOf(schema) >> 5))
  }
  const valid = gen.name('valid')
  const createErrors = it.opts.verbose === true
  context.mergeEvaluated(context.subschema({ keyword, createErrors }, valid))
  context.ok(valid)
}
