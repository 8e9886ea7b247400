import { HELD } from './limits.ts'
import type { Coercer } from './types.ts'
import type { Check } from './validate/ajv.ts'

/** What a coercer makes at its first call. */
export interface Steps {
  readonly check: Check
  /** Who writes numbers as text does it in one call after the other, so the check that would fail is put off. */
  habit: boolean
  isWild: Check
  readonly coerce: Coercer['coerce']
}

/** What a coercer made, and whether it was used lately. */
export interface Held {
  steps?: Steps | undefined
  used: boolean
}

let refs: WeakRef<Held>[] = []

/** Keeps what one made, which may be one too many; the others make theirs again when they are called. */
export function hold(held: Held, steps: Steps): Steps {
  held.steps = steps
  refs.push(new WeakRef(held))
  if (refs.length <= HELD) return steps
  const all = refs.flatMap((ref) => ref.deref() ?? []).toReversed()
  refs = []
  for (const one of all) {
    if (one.used && refs.length < HELD / 2) refs.unshift(new WeakRef(one))
    else one.steps = undefined
    one.used = false
  }
  return steps
}
