import { HELD } from './limits.ts'
import type { Coercer } from './types.ts'

/** What a coercer made at its first call, and whether it was used lately. */
export interface Held {
  run?: Coercer['coerce'] | undefined
  used: boolean
}

let refs: WeakRef<Held>[] = []

/** Keeps what one made, which may be one too many; the others make theirs again when they are called. */
export function hold(held: Held, run: Coercer['coerce']): Coercer['coerce'] {
  held.run = run
  refs.push(new WeakRef(held))
  if (refs.length <= HELD) return run
  const all = refs.flatMap((ref) => ref.deref() ?? []).toReversed()
  refs = []
  for (const one of all) {
    if (one.used && refs.length < HELD / 2) refs.unshift(new WeakRef(one))
    else one.run = undefined
    one.used = false
  }
  return run
}
