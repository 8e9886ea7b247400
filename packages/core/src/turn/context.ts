import { InvalidOptionsError, type CallContext } from '@callgate/spec'

import { fold } from '../registry/near-names.ts'

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/**
 * The context of a call is a frozen copy: the caller's own object is neither frozen nor kept.
 *
 * @throws InvalidOptionsError for what is no context.
 */
export function contextOf(given: CallContext): CallContext {
  checkContext(given)
  const own: Writable<CallContext> = { ...given }
  if (given.roles !== undefined) own.roles = Object.freeze(given.roles.slice())
  if (given.labels !== undefined) own.labels = Object.freeze({ ...given.labels })
  // No deadline, and JSON, in which a call that waits is kept, has no word for it.
  if (given.deadlineMs === Infinity) delete own.deadlineMs
  return Object.freeze(own)
}

/** Whether this is a context, wherever it was kept. */
export function contextFits(given: unknown): given is CallContext {
  return typeof given === 'object' && given !== null && misfitOf(given) === undefined
}

function checkContext(given: CallContext): void {
  if (typeof given !== 'object' || given === null) throw misfit('', 'an object')
  const unfit = misfitOf(given)
  if (unfit !== undefined) throw misfit(`/${unfit.name}`, unfit.fits, unfit.hint)
}

interface Unfit {
  readonly name: string
  readonly fits: string
  readonly hint?: string
}

/** The first field that does not fit. */
function misfitOf(given: CallContext): Unfit | undefined {
  for (const name in given) {
    const key = name as keyof CallContext
    const value = given[key]
    if (value === undefined) continue
    // What a caller adds may have the name of something that every object inherits.
    if (!Object.hasOwn(checks, key)) {
      const meant = plainNames.get(fold(name))
      if (meant === undefined || given[meant] !== undefined) continue
      return { name, fits: meant, hint: `Did you mean "${meant}"?` }
    }
    if (!checks[key].test(value)) return { name, fits: checks[key].fits }
  }
  return undefined
}

interface FieldCheck {
  readonly fits: string
  readonly test: (value: unknown) => boolean
}

const text: FieldCheck = { fits: 'text', test: (value) => typeof value === 'string' }
const callback: FieldCheck = { fits: 'a function', test: (value) => typeof value === 'function' }

/** What a caller may have added beside these is its own. */
const checks: { readonly [K in keyof Required<CallContext>]: FieldCheck } = {
  sessionId: text,
  user: text,
  roles: {
    fits: 'a list of names',
    test: (value) => Array.isArray(value) && value.every((role) => typeof role === 'string'),
  },
  workflow: text,
  mode: text,
  task: text,
  labels: { fits: 'an object', test: (value) => typeof value === 'object' && value !== null },
  scope: text,
  signal: {
    fits: 'an AbortSignal',
    test: (value) => typeof (value as AbortSignal | null)?.aborted === 'boolean',
  },
  deadlineMs: {
    fits: 'milliseconds: a number of at least 0',
    test: (value) => typeof value === 'number' && value >= 0,
  },
  onProgress: callback,
  onExpanded: callback,
  onResult: callback,
}

/** A field of ours but for case and separators, whose own place is empty, would be taken for the caller's and missed. */
const plainNames: ReadonlyMap<string, keyof CallContext> = new Map(
  Object.keys(checks).map((name) => [fold(name), name as keyof CallContext]),
)

function misfit(
  where: string,
  fits: string,
  hint = 'Leave out what is not known.',
): InvalidOptionsError {
  return new InvalidOptionsError({
    rule: 'context',
    where: `context${where}`,
    message: `The context of a call does not fit: expected ${fits}${where === '' ? '' : ` for ${where.slice(1)}`}.`,
    hint,
  })
}
