import type { Room } from './room.ts'

/** A list may have so many empty places; beyond it is not worth walking through. */
const maxHoles = 10_000
/** Of a longer list no more places are looked at: they would not be taken. */
const maxPlaces = 1_000_000

/** Whether most of a long list is empty: `list[4e9] = 1` makes one with four thousand million places. Looking takes room. */
export function isSparse(list: readonly unknown[], room?: Room): boolean {
  const { length } = list
  if (length <= maxHoles) return false
  const places = Math.min(length, maxPlaces)
  if (room !== undefined) room.left -= places
  let holes = 0
  for (let place = 0; place < places; place++) {
    if (!(place in list) && ++holes > maxHoles) return true
  }
  return false
}

export function describeSparse(list: readonly unknown[]): string {
  return `a list of ${list.length} places, most of them empty`
}
