import { patternRefusal } from '../patterns/admit.ts'
import { nearest } from '../text/nearest.ts'
import { keywordKinds, type KeywordKind } from './keywords.ts'
import { report, type Loading } from './loading.ts'
import {
  isPlainObject,
  pointerToken,
  shown,
  typeNames,
  type LoadedObject,
  type LoadedSchema,
} from './model.ts'

/** One keyword of one schema on its way into the loaded form. */
interface Reading {
  readonly loading: Loading
  readonly raw: { readonly [keyword: string]: unknown }
  readonly keyword: string
  readonly value: unknown
  /** Pointer to the keyword. */
  readonly path: string
  readonly out: LoadedObject
}
/** Reads a schema below the keyword. */
type Inner = (part: unknown, ...tokens: (string | number)[]) => LoadedSchema
type Read = (value: unknown, inner: Inner, reading: Reading) => unknown

/** What a keyword holds that cannot be read, and that says nothing. */
const WRONG: unique symbol = Symbol('wrong')
const SKIP: unique symbol = Symbol('skip')

/** Loading resolves these. */
const resolved = /^(?:\$ref|\$id|id|\$schema|\$anchor|\$dynamic\w+|\$recursive\w+|(?:x-)?nullable)$/

const reads: { readonly [kind in KeywordKind]: Read } = {
  schema: (value, inner, reading) => (coversOthers(reading) ? inner(value) : SKIP),
  list: (value, inner) =>
    isFilled(value) ? value.map((part, index) => inner(part, index)) : WRONG,
  map: readMap,
  definitions: () => SKIP,
  items: readItems,
  dependencies: readDependencies,
  names: (value, _inner, { loading }) => {
    // Draft 03 and hand-written schemas put a boolean at the property itself; it says nothing here.
    if (typeof value === 'boolean') return SKIP
    return isNames(value) ? ownNames(loading, value) : WRONG
  },
  count: (value) => (Number.isInteger(value) && Number(value) >= 0 ? value : WRONG),
  number: readNumber,
  flag: (value) => (typeof value === 'boolean' ? value : WRONG),
  values: (value) => (isFilled(value) ? value : WRONG),
  value: (value) => value,
  text: (value, _inner, reading) => {
    if (typeof value !== 'string') return WRONG
    return runs(reading, value, reading.path) ? value : SKIP
  },
  type: readType,
}

/** Puts what the keyword says into `reading.out`, or reports what is wrong with it. */
export function readKeyword(reading: Reading, inner: Inner): void {
  const { loading, keyword, value, path, out } = reading
  const kind = keywordKinds.get(keyword)
  if (kind === undefined) {
    if (loading.forShow && !resolved.test(keyword)) out[keyword] = value
  } else if (value !== null || kind === 'value') {
    const read = reads[kind](value, inner, reading)
    if (read === WRONG) report(loading.problems, path, keyword, `${shown(value)} is no ${keyword}`)
    else if (read !== SKIP) out[keyword] = read
  }
}

function isFilled(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

/** `__proto__` is left out: the name cannot be told from the prototype, and arguments never hold it. */
function ownNames(loading: Loading, names: readonly string[]): string[] {
  loading.inheritedNames ||= names.some((name) => name in Object.prototype)
  return [...new Set(names)].filter((name) => name !== '__proto__')
}

function readMap(value: unknown, inner: Inner, reading: Reading): unknown {
  if (!isPlainObject(value)) return WRONG
  const { loading, keyword, path } = reading
  let names = ownNames(loading, Object.keys(value))
  if (keyword === 'properties') loading.nameLists.push(names)
  if (keyword === 'patternProperties') {
    names = names.filter((pattern) => runs(reading, pattern, path + pointerToken(pattern)))
  }
  return Object.fromEntries(names.map((name) => [name, inner(value[name], name)]))
}

/** Whether a pattern is run; if not, that is noted and values are not checked against it (R3.7). */
function runs({ loading }: Reading, pattern: string, path: string): boolean {
  const refusal = loading.forShow ? undefined : patternRefusal(pattern, loading.regExp)
  if (refusal !== undefined) report(loading.notes, path, 'pattern', refusal)
  return refusal === undefined
}

/** Keys that a pattern which is not run would have covered must not count as additional. */
function coversOthers({ keyword, raw, loading }: Reading): boolean {
  const patterns = raw['patternProperties']
  if (!/^(?:additional|unevaluated)P/.test(keyword) || !isPlainObject(patterns)) return true
  return Object.keys(patterns).every((pattern) => !patternRefusal(pattern, loading.regExp))
}

/** A list is a tuple, whatever the draft; `additionalItems` is what follows it. */
function readItems(value: unknown, inner: Inner, { keyword, raw, out }: Reading): unknown {
  const tuple = Array.isArray(raw['items'])
  if (keyword === 'additionalItems') {
    if (tuple) out.items = inner(value)
    return SKIP
  }
  if (!tuple) return inner(value)
  if (isFilled(value)) out.prefixItems = value.map((part, index) => inner(part, index))
  return SKIP
}

/** Each entry is a list of names or, up to draft 07, a schema. */
function readDependencies(value: unknown, inner: Inner, { loading, out }: Reading): unknown {
  if (!isPlainObject(value)) return WRONG
  for (const name of ownNames(loading, Object.keys(value))) {
    const entry = value[name]
    if (isNames(entry)) (out.dependentRequired ??= {})[name] = ownNames(loading, entry)
    else (out.dependentSchemas ??= {})[name] = inner(entry, name)
  }
  return SKIP
}

function readNumber(value: unknown, _inner: Inner, { keyword, raw }: Reading): unknown {
  if (typeof value === 'boolean' && keyword.startsWith('exclusive')) {
    // Draft 04: a flag that turns the plain bound into an exclusive one.
    const plain = raw[keyword === 'exclusiveMinimum' ? 'minimum' : 'maximum']
    return value && typeof plain === 'number' ? plain : SKIP
  }
  const fits = Number.isFinite(value) && (keyword !== 'multipleOf' || Number(value) > 0)
  return fits ? value : WRONG
}

/** A word that is no type is the fault of broken schemas that is met most. */
function readType(value: unknown, _inner: Inner, { loading, path }: Reading): unknown {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (list.includes('any')) return SKIP
  if (loading.forShow && list.length === 0) return ['object']
  const good = list.filter((name) => typeNames.has(name as string))
  if (good.length < list.length || good.length === 0) {
    const bad = list.find((name) => !good.includes(name))
    const near = typeof bad === 'string' ? nearest(bad, [...typeNames]) : undefined
    const hint = near === undefined ? '' : `; did you mean ${shown(near)}?`
    report(loading.problems, path, 'type', `${shown(bad ?? value)} is no type${hint}`)
  }
  return good.length > 0 ? [...new Set(good)] : SKIP
}
