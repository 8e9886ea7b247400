import { isFields, pointerToken, shown, textOf } from '../json.ts'
import { BRANCHES, LOOPED_NAMES, NOTED_TEXT, PARTS, PATTERN_PARTS } from '../limits.ts'
import { judgePattern } from '../patterns/admit.ts'
import { typeBits } from '../plan/types.ts'
import { nearest } from '../text/nearest.ts'
import { report, type Loading } from './loading.ts'
import type { LoadedObject, LoadedSchema } from './model.ts'

/** One schema on its way into the loaded form. */
export interface Reading {
  readonly loading: Loading
  readonly raw: { readonly [keyword: string]: unknown }
  readonly out: LoadedObject
  /** Reads a schema inside it, at a pointer. */
  inner(part: unknown, path: string): LoadedSchema
}
/** Gives what the value of a keyword, at a pointer, says: WRONG for what cannot be read, undefined for what says nothing. */
export type Read = (value: unknown, path: string, reading: Reading, keyword: string) => unknown

export const WRONG: unique symbol = Symbol()

export function isFilled(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

export function readList(value: unknown, path: string, reading: Reading, keyword: string): unknown {
  const { loading } = reading
  if (!isFilled(value)) return WRONG
  loading.parts += value.length * (keyword === 'oneOf' ? 3 : 1)
  if (!/^(?:one|all)Of$/.test(keyword) || value.length <= BRANCHES)
    return readEach(value, path, reading)
  const message = `is too large: at most ${BRANCHES} branches are read, so split the tool`
  report(loading.document.problems, path, 'size', message)
  return undefined
}

function readEach(list: readonly unknown[], path: string, { inner }: Reading): LoadedSchema[] {
  return list.map((part, index) => inner(part, `${path}/${index}`))
}

/** `__proto__` is left out: the name cannot be told from the prototype, and arguments never hold it. */
function ownNames(loading: Loading, names: readonly string[]): string[] {
  // Each gets code of its own, unless there are very many of them.
  loading.parts += names.length > LOOPED_NAMES ? 0 : names.length >> 1
  loading.document.ownProperties ||= names.some((name) => name in Object.prototype)
  return [...new Set(names)].filter((name) => name !== '__proto__')
}

/** Draft 03 and hand-written schemas put a boolean at the property itself; it says nothing here. */
export function readNames(value: unknown, _path: string, { loading }: Reading): unknown {
  if (isNames(value)) return ownNames(loading, value)
  return typeof value === 'boolean' ? undefined : WRONG
}

export function readMap(value: unknown, path: string, reading: Reading, keyword: string): unknown {
  const { loading, inner } = reading
  if (!isFields(value)) return WRONG
  const names = ownNames(loading, Object.keys(value))
  if (keyword === 'properties') loading.document.nameLists.push(names)
  const entries = names.map((name) => {
    const at = path + pointerToken(name)
    if (/\p{Cs}/u.test(name)) {
      report(loading.document.problems, at, keyword, `${shown(name)} has a lone surrogate`)
    }
    return [
      name,
      (keyword === 'patternProperties' && isRefused(reading, name, at)) || inner(value[name], at),
    ]
  })
  return Object.fromEntries(entries)
}

export function readPattern(value: unknown, path: string, reading: Reading): unknown {
  if (typeof value !== 'string') return WRONG
  isRefused(reading, value, path, reading.raw['maxLength'])
  return value
}

/**
 * Whether a pattern is not run (R3.7). Then any text fits it: values are not checked against it, and of the keys of an
 * object none is additional. That is noted, and also where it is run, but not on all texts of a length that fits.
 */
function isRefused(
  { loading, out }: Reading,
  pattern: string,
  path: string,
  maxLength?: unknown,
): boolean {
  if (loading.forShow) return false
  loading.parts += PATTERN_PARTS + (pattern.length >> 3)
  if (loading.parts > PARTS) return false
  const { note, longest } = judgePattern(pattern, loading.regExp)
  if (longest < Math.min(typeof maxLength === 'number' ? maxLength : Infinity, NOTED_TEXT)) {
    report(loading.document.notes, path, 'pattern', note)
  }
  if (longest < 0) loading.open.add(out)
  return longest < 0
}

/** A list is a tuple, whatever the draft; `additionalItems` is what follows it. */
export function readItems(
  value: unknown,
  path: string,
  reading: Reading,
  keyword: string,
): unknown {
  const { inner, raw, out } = reading
  if (!Array.isArray(raw['items'])) return keyword === 'items' ? inner(value, path) : undefined
  if (keyword !== 'items') out.items = inner(value, path)
  else if (isFilled(value)) out.prefixItems = readEach(value, path, reading)
  return undefined
}

/** Each entry is a list of names or, up to draft 07, a schema. */
export function readDependencies(
  value: unknown,
  path: string,
  { inner, loading, out }: Reading,
): unknown {
  if (!isFields(value)) return WRONG
  for (const name of ownNames(loading, Object.keys(value))) {
    const entry = value[name]
    loading.parts++
    if (isNames(entry)) (out.dependentRequired ??= {})[name] = ownNames(loading, entry)
    else (out.dependentSchemas ??= {})[name] = inner(entry, path + pointerToken(name))
  }
  return undefined
}

export function readNumber(
  value: unknown,
  _path: string,
  { raw }: Reading,
  keyword: string,
): unknown {
  // Draft 04: a flag that turns the plain bound into an exclusive one.
  if (typeof value === 'boolean' && keyword.startsWith('e')) {
    return value ? raw[keyword.replace('exclusiveM', 'm')] : undefined
  }
  return Number.isFinite(value) && (keyword !== 'multipleOf' || Number(value) > 0) ? value : WRONG
}

/** A word that is no type is the fault of broken schemas that is met most. */
export function readType(value: unknown, path: string, { loading }: Reading): unknown {
  const list = [value].flat()
  if (list.includes('any')) return undefined
  if (loading.forShow && list.length === 0) return ['object']
  const good = list.filter((name) => typeBits.has(name as string))
  if (good.length < list.length || good.length === 0) {
    const bad = list.find((name) => !good.includes(name)) ?? value
    const near = nearest(textOf(bad), [...typeBits.keys()])
    const hint = near ? `; did you mean ${shown(near)}?` : ''
    report(loading.document.problems, path, 'type', `${shown(bad)} is no type${hint}`)
  }
  return good.length > 0 ? [...new Set(good)] : undefined
}
