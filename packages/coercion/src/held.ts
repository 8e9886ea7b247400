import type { Coercer } from './types.ts'

/** What a coercer made at its first call, and when it was used. */
export interface Held {
  run?: Coercer['coerce'] | undefined
  used: number
}

/** So many coercers keep what they made; beyond, the half that was not used for longest makes it anew. */
const HELD = 1000

let refs: WeakRef<Held>[] = []
let time = 0

/** Notes that it was just used. Time is counted in coercers that came to their first call. */
export function touch(held: Held): void {
  held.used = time
}

/** Notes a new one, which may be one too many. */
export function hold(held: Held): void {
  time++
  refs.push(new WeakRef(held))
  if (refs.length <= HELD) return
  const latest = refs.flatMap((ref) => ref.deref() ?? []).toSorted((a, b) => b.used - a.used)
  for (const other of latest.splice(HELD / 2)) other.run = undefined
  refs = latest.map((other) => new WeakRef(other))
}
