import { isDeepStrictEqual } from 'node:util'

import { commandError } from './failure.ts'

/** What a command hook of kind gate answers. */
export type GateDecision =
  | { readonly action: 'allow' }
  | { readonly action: 'block'; readonly message?: string }
  | { readonly action: 'ask'; readonly message?: string; readonly rule?: string }

/** What a command hook of kind transform answers. `args` is merged over the arguments; pointers are RFC 6901. */
export type TransformDecision =
  | {
      readonly action: 'modify'
      readonly args?: object
      readonly set?: { readonly [pointer: string]: unknown }
      readonly remove?: readonly string[]
    }
  | { readonly action: 'block'; readonly message?: string }

/** What a command said, before it is known what kind of hook it is. */
export interface Verdict {
  readonly decision?: GateDecision
  readonly change?: Change
}
interface Change {
  readonly args?: object
  readonly set?: { readonly [pointer: string]: unknown }
  readonly remove?: readonly string[]
  /** `args` replaces all arguments instead of being laid over them. */
  readonly whole?: boolean
}

/** The message that goes with a decision, or nothing. */
export function withMessage(message: unknown): { readonly message?: string } {
  return typeof message === 'string' && message !== '' ? { message } : {}
}

/** A verdict as a hook of this kind may answer. Throws when something of it would be lost. */
export function fit(
  verdict: Verdict,
  hook: {
    readonly command: string
    readonly kind: 'gate' | 'transform'
    readonly withGate: boolean
  },
  given: unknown,
): GateDecision | TransformDecision | undefined {
  const { decision, change } = verdict
  if (decision?.action === 'block') return decision
  const changed = change !== undefined && !isSame(change, given)
  if (hook.kind === 'gate') {
    if (!changed) return decision
    throw misfit(hook.command, 'changes arguments, which a gate cannot', 'transform')
  }
  if (decision?.action === 'ask' && !hook.withGate) {
    throw misfit(hook.command, 'asks for approval, which a transform cannot', 'gate')
  }
  return changed ? modification(change, given) : undefined
}

function misfit(command: string, what: string, kind: string): Error {
  return commandError(command, `${what}: register it as a ${kind} too`)
}

function modification({ whole, ...change }: Change, given: unknown): TransformDecision {
  if (whole !== true) return { action: 'modify', ...change }
  const remove = missing(given, change.args ?? {})
  return { action: 'modify', ...change, ...(remove.length > 0 ? { remove } : {}) }
}

/** A hook that is asked again about arguments which it has changed already gives the same ones. */
function isSame({ args = {}, set, remove, whole }: Change, given: unknown): boolean {
  if (set !== undefined || remove !== undefined) return false
  if (whole === true) return isDeepStrictEqual(args, given)
  const held = keyed(given)
  return Object.entries(args).every(
    ([key, value]) => Object.hasOwn(held, key) && isDeepStrictEqual(value, held[key]),
  )
}

/** Pointers to the keys of the arguments that new arguments do not have. */
function missing(given: unknown, args: object): string[] {
  return Object.keys(keyed(given))
    .filter((key) => !Object.hasOwn(args, key))
    .map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
}

function keyed(value: unknown): { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
