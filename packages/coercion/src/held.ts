import { HELD } from './limits.ts'
import type { Coercer } from './types.ts'

/** What a coercer made at its first call, and whether it was used lately. */
export interface Held {
  run?: Coercer['coerce'] | undefined
  used: boolean
}

let refs: WeakRef<Held>[] = []

/** Notes a new one, which may be one too many; the others make theirs again when they are called. */
export function hold(held: Held): void {
  refs.push(new WeakRef(held))
  if (refs.length <= HELD) return
  const all = refs.flatMap((ref) => ref.deref() ?? []).toReversed()
  refs = []
  for (const one of all) {
    if (one.used && refs.length < HELD / 2) refs.unshift(new WeakRef(one))
    else one.run = undefined
    one.used = false
  }
}
