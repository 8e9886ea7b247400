import { admitPattern, runsPattern } from '../patterns/admit.ts'
import { problem, type Loading, type Place } from './loading.ts'
import {
  isPlainObject,
  pointerToken,
  shown,
  type LoadedObject,
  type LoadedSchema,
} from './model.ts'
import { readType } from './type-keyword.ts'

/** One keyword of one schema on its way into the loaded form. */
interface Reading {
  readonly loading: Loading
  readonly raw: { readonly [keyword: string]: unknown }
  readonly out: LoadedObject
  readonly keyword: string
  readonly value: unknown
  readonly place: Place
  /** Pointer to the keyword. */
  readonly at: string
}
type Reader = (reading: Reading) => void

function wrong(reading: Reading, wanted: string): void {
  const { loading, at, keyword, value } = reading
  problem(loading, at, keyword, `${keyword} must be ${wanted}, not ${shown(value)}`)
}

function inner(reading: Reading, value: unknown, ...tokens: (string | number)[]): LoadedSchema {
  const path = tokens.reduce<string>((at, token) => at + pointerToken(token), reading.at)
  return reading.loading.convert(value, { ...reading.place, path })
}

const readSchema: Reader = (reading) => {
  reading.out[reading.keyword] = inner(reading, reading.value)
}

const readSchemaList: Reader = (reading) => {
  const { out, keyword, value } = reading
  if (!Array.isArray(value) || value.length === 0) return wrong(reading, 'a list of schemas')
  out[keyword] = value.map((entry, index) => inner(reading, entry, index))
}

/** `__proto__` is left out: the name cannot be told from the prototype, and arguments never hold it. */
function entriesOf(reading: Reading): [string, unknown][] | undefined {
  if (isPlainObject(reading.value)) {
    return Object.entries(reading.value).filter(([name]) => name !== '__proto__')
  }
  wrong(reading, 'an object of schemas')
  return undefined
}

function noteNames(loading: Loading, names: readonly string[]): void {
  loading.inheritedNames ||= names.some((name) => name in Object.prototype)
}

const readProperties: Reader = (reading) => {
  const entries = entriesOf(reading)
  if (!entries) return
  const properties: Record<string, LoadedSchema> = {}
  for (const [name, value] of entries) properties[name] = inner(reading, value, name)
  const names = Object.keys(properties)
  noteNames(reading.loading, names)
  reading.loading.nameLists.push(names)
  reading.out.properties = properties
}

const readPatternProperties: Reader = (reading) => {
  const entries = entriesOf(reading)
  if (!entries) return
  const { loading, out, at } = reading
  out.patternProperties = Object.fromEntries(
    entries
      .filter(([pattern]) => admitPattern(loading, pattern, at + pointerToken(pattern)))
      .map(([pattern, value]) => [pattern, inner(reading, value, pattern)]),
  )
}

/** Keys that a pattern which is not run would have covered must not count as additional. */
const readOtherProperties: Reader = (reading) => {
  const patterns = reading.raw['patternProperties']
  const all = isPlainObject(patterns) ? Object.keys(patterns) : []
  if (all.every((pattern) => runsPattern(pattern, reading.loading.regExp))) readSchema(reading)
}

const readDependentSchemas: Reader = (reading) => {
  const entries = entriesOf(reading)
  if (!entries) return
  noteNames(
    reading.loading,
    entries.map(([name]) => name),
  )
  reading.out.dependentSchemas = Object.fromEntries(
    entries.map(([name, value]) => [name, inner(reading, value, name)]),
  )
}

/** Draft 04 to 07: each entry is a list of names or a schema. */
const readDependencies: Reader = (reading) => {
  const { out, loading, value } = reading
  if (!isPlainObject(value)) return wrong(reading, 'an object')
  for (const [name, entry] of Object.entries(value)) {
    noteNames(loading, [name])
    if (name === '__proto__') continue
    if (isNames(entry)) (out.dependentRequired ??= {})[name] = ownNames(loading, entry)
    else (out.dependentSchemas ??= {})[name] = inner(reading, entry, name)
  }
}

const readDependentRequired: Reader = (reading) => {
  if (isPlainObject(reading.value) && Object.values(reading.value).every(isNames)) {
    readDependencies(reading)
  } else wrong(reading, 'an object of lists of names')
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

function ownNames(loading: Loading, names: readonly string[]): string[] {
  noteNames(loading, names)
  return [...new Set(names)].filter((name) => name !== '__proto__')
}

const readRequired: Reader = (reading) => {
  const { loading, value, out } = reading
  // Draft 03 and hand-written schemas put a boolean at the property itself; it says nothing here.
  if (typeof value === 'boolean') return
  if (isNames(value)) out.required = ownNames(loading, value)
  else wrong(reading, 'a list of names')
}

/** A list is a tuple, whatever the draft. */
const readItems: Reader = (reading) => {
  const { raw, out, value } = reading
  if (!Array.isArray(value)) return readSchema(reading)
  if (raw['prefixItems'] === undefined && value.length > 0) {
    out.prefixItems = value.map((entry, index) => inner(reading, entry, index))
  }
  const rest = raw['additionalItems']
  if (rest !== undefined && rest !== null) {
    const path = `${reading.place.path}/additionalItems`
    out.items = reading.loading.convert(rest, { ...reading.place, path })
  }
}

const readCount: Reader = (reading) => {
  const { out, keyword, value } = reading
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) out[keyword] = value
  else wrong(reading, 'a whole number from 0 on')
}

const readNumber: Reader = (reading) => {
  const { out, keyword, value, raw } = reading
  if (typeof value === 'boolean' && keyword.startsWith('exclusive')) {
    // Draft 04: a flag that turns the plain bound into an exclusive one.
    const plain = keyword === 'exclusiveMinimum' ? 'minimum' : 'maximum'
    if (value && typeof raw[plain] === 'number') out[keyword] = raw[plain]
  } else if (typeof value === 'number' && Number.isFinite(value)) out[keyword] = value
  else wrong(reading, 'a number')
}

const readMultiple: Reader = (reading) => {
  if (typeof reading.value === 'number' && reading.value > 0) readNumber(reading)
  else wrong(reading, 'a number above 0')
}

const readUnique: Reader = (reading) => {
  if (typeof reading.value === 'boolean') reading.out['uniqueItems'] = reading.value
  else wrong(reading, 'true or false')
}

const readEnum: Reader = (reading) => {
  if (Array.isArray(reading.value) && reading.value.length > 0) reading.out.enum = reading.value
  else wrong(reading, 'a list of values')
}

const readConst: Reader = (reading) => {
  reading.out.const = reading.value
}

const readTypeKeyword: Reader = (reading) => {
  const type = readType(reading.loading, reading.value, reading.at)
  if (type) reading.out.type = type
}

const readPattern: Reader = (reading) => {
  const { loading, value, out, at } = reading
  if (typeof value !== 'string') wrong(reading, 'text')
  else if (admitPattern(loading, value, at)) out['pattern'] = value
}

const groups: readonly (readonly [Reader, readonly string[]])[] = [
  [readSchema, ['propertyNames', 'not', 'if', 'then', 'else', 'contains', 'unevaluatedItems']],
  [readOtherProperties, ['additionalProperties', 'unevaluatedProperties']],
  [readSchemaList, ['allOf', 'anyOf', 'oneOf', 'prefixItems']],
  [readProperties, ['properties']],
  [readPatternProperties, ['patternProperties']],
  [readDependentSchemas, ['dependentSchemas']],
  [readDependencies, ['dependencies']],
  [readDependentRequired, ['dependentRequired']],
  [readRequired, ['required']],
  [readItems, ['items']],
  [readCount, ['minLength', 'maxLength', 'minItems', 'maxItems', 'minContains', 'maxContains']],
  [readCount, ['minProperties', 'maxProperties']],
  [readNumber, ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']],
  [readMultiple, ['multipleOf']],
  [readUnique, ['uniqueItems']],
  [readEnum, ['enum']],
  [readConst, ['const']],
  [readTypeKeyword, ['type']],
  [readPattern, ['pattern']],
]

/** How each keyword is read; any other keyword says nothing about values. */
export const readers: ReadonlyMap<string, Reader> = new Map(
  groups.flatMap(([read, keywords]) => keywords.map((keyword) => [keyword, read] as const)),
)
