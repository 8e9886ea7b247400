import { InvalidOptionsError, type CallContext } from '@callgate/spec'

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
  return Object.freeze(own)
}

function checkContext(given: CallContext): void {
  const { roles, signal } = (given as CallContext | null) ?? {}
  const fault =
    typeof given !== 'object' || given === null
      ? ['', 'an object']
      : roles !== undefined && !Array.isArray(roles)
        ? ['/roles', 'a list of names']
        : signal !== undefined && typeof (signal as AbortSignal | null)?.aborted !== 'boolean'
          ? ['/signal', 'an AbortSignal']
          : undefined
  if (fault === undefined) return
  const [where = '', fits = ''] = fault
  throw new InvalidOptionsError({
    rule: 'context',
    where: `context${where}`,
    message: `The context of a call does not fit: expected ${fits}.`,
    hint: 'Leave out what is not known.',
  })
}
