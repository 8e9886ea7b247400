/** A list may have so many empty places; beyond it is not worth walking through. */
const maxHoles = 10_000

/** Whether most of a long list is empty: `list[4e9] = 1` makes one with four thousand million places. */
export function isSparse(list: readonly unknown[]): boolean {
  if (list.length <= maxHoles) return false
  let holes = 0
  for (let place = 0; place < list.length; place++) {
    if (!(place in list) && ++holes > maxHoles) return true
  }
  return false
}

export function describeSparse(list: readonly unknown[]): string {
  return `a list of ${list.length} places, most of them empty`
}
