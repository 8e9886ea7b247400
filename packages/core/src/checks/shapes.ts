import { nearNames } from '../registry/near-names.ts'
import { isRecord } from '../registry/read-data.ts'
import { shown, type Check, type Misfit } from './check.ts'

/** One of a few words. */
export function oneOf(...words: readonly string[]): Check {
  return (value) => {
    if (words.includes(value as string)) return undefined
    return { path: [], got: shown(value, true), fits: listed(words), ...didYouMean(value, words) }
  }
}

/** A list whose every item fits. */
export function listOf(item: Check, fits = 'a list'): Check {
  return (value) => {
    if (!Array.isArray(value)) return { path: [], got: shown(value, true), fits }
    for (const [index, part] of value.entries()) {
      const misfit = item(part)
      if (misfit !== undefined) return within(index, misfit)
    }
    return undefined
  }
}

/** An object with any keys, whose every value fits. */
export function mapOf(item: Check): Check {
  return (value) => {
    if (!isRecord(value)) return { path: [], got: shown(value, true), fits: 'an object' }
    for (const [key, part] of Object.entries(value)) {
      const misfit = item(part)
      if (misfit !== undefined) return within(key, misfit)
    }
    return undefined
  }
}

/**
 * An object with these keys and no others; all but the `required` may be left out. A key that is misspelt is as good as
 * a switch that is off, so an unknown one does not fit.
 */
export function shape(
  fields: { readonly [key: string]: Check },
  required: readonly string[] = [],
): Check {
  const names = Object.keys(fields)
  const has = parts(fields, required)
  return (value) => {
    if (!isRecord(value)) return { path: [], got: shown(value, true), fits: 'an object' }
    for (const key of Object.keys(value)) {
      if (Object.hasOwn(fields, key)) continue
      return { path: [key], got: 'unknown', fits: listed(names), ...didYouMean(key, names) }
    }
    return has(value)
  }
}

/** An object that has these parts, whatever else it has: for objects of the caller's own classes. */
export function parts(
  fields: { readonly [key: string]: Check },
  required: readonly string[],
): Check {
  const checks = Object.entries(fields)
  return (value) => {
    if (!isRecord(value)) return { path: [], got: shown(value, false), fits: 'an object' }
    for (const [key, check] of checks) {
      if (value[key] === undefined && !required.includes(key)) continue
      const misfit = check(value[key])
      if (misfit !== undefined) return within(key, misfit)
    }
    return undefined
  }
}

function within(key: string | number, misfit: Misfit): Misfit {
  return { ...misfit, path: [key, ...misfit.path] }
}

function listed(names: readonly string[]): string {
  return `one of ${names.join(', ')}`
}

function didYouMean(asked: unknown, names: readonly string[]): { readonly hint?: string } {
  const [near] = typeof asked === 'string' ? nearNames(asked, names) : []
  return near === undefined ? {} : { hint: `Did you mean "${near}"?` }
}

/** A place as a JSON pointer (RFC 6901). */
export function pointer(path: readonly (string | number)[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
