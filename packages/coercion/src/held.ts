import { HELD } from './limits.ts'
import type { Coercion, ParseOptions } from './types.ts'
import type { Check } from './validate/ajv.ts'

/** What a coercer makes at its first call. */
export interface Steps {
  readonly check: Check
  /** Who writes numbers as text does it in one call after the other, so the check that would fail is put off. */
  habit: boolean
  isWild: Check
  readonly coerce: (args: unknown, how?: ParseOptions) => Coercion
}

/** What a coercer made, and whether it was used lately. */
export interface Held {
  steps?: Steps | undefined
  used: boolean
}

const refs: (WeakRef<Held> | undefined)[] = []

/** Keeps what one made, which may be one too many: then the oldest that was not used since makes its own again. */
export function hold(held: Held, steps: Steps): Steps {
  held.steps = steps
  refs.push(new WeakRef(held))
  while (refs.length > HELD) {
    const oldest = refs.shift()?.deref()
    if (oldest?.used) {
      oldest.used = false
      refs.push(new WeakRef(oldest))
    } else if (oldest) oldest.steps = undefined
  }
  return steps
}
