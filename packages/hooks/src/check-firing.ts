import { aFlag, aFunction, checkOptions, unfit, type Fits, type Known } from './check-options.ts'
import { checkEvent } from './registration.ts'
import type { HookRunOptions } from './types.ts'

const text: Fits = { fits: 'text', test: (value) => typeof value === 'string' }

const runOptions: Known<HookRunOptions<object>> = {
  subject: text,
  subjects: {
    fits: 'a list of texts',
    test: (value) => Array.isArray(value) && value.every(text.test),
  },
  scope: text,
  apply: aFunction,
  settled: aFlag,
  frozen: aFlag,
  waitedMs: aFunction,
}

/** The types of the options that are plainly right by their type. */
const plain: { readonly [option: string]: string } = {
  subject: 'string',
  scope: 'string',
  apply: 'function',
  settled: 'boolean',
  frozen: 'boolean',
  waitedMs: 'function',
}

/** @throws TypeError naming what does not fit. A guard that is asked of no subject, or of a misspelt one, would let all pass. */
export function checkFiring(event: unknown, payload: unknown, options: unknown): void {
  checkEvent('fire', event)
  if (isObject(payload) && isPlainlyRight(options)) return
  const place = `Firing "${event}"`
  if (!isObject(payload)) throw unfit(place, 'the payload is', payload, { fits: 'an object' })
  checkOptions(place, options, runOptions)
}

// Every call fires events: nothing is allocated here, and no text made.
function isPlainlyRight(options: unknown): boolean {
  if (!isObject(options)) return false
  for (const name in options) {
    const value = options[name]
    if (value !== undefined && typeof value !== plain[name]) return false
  }
  return true
}

/** Lists too: what an event is about is the affair of whoever fires it. */
function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null
}
