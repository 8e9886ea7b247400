import { alignCalls, type Slot, type WireCall } from './align.ts'

/** How one provider writes a call into the ordered list of a message. */
export interface CallFormat {
  /** The ids of an item that is a call of ours; undefined for every other item, whatever it is. */
  slot(item: unknown): Slot | undefined
  /** The item for a call: `item` itself where it already says all of it, a changed copy, or a new one. */
  write(wire: WireCall, item: unknown): unknown
}

/**
 * Puts the calls of a turn into the list of the message they came from: every call exactly once, in the place of
 * its own item or after the call before it, everything else the same object in the same order. The item of a
 * call that is no longer in the turn is left out, since nothing would answer it. A list in which nothing
 * changes comes back as the same object.
 */
export function weave(
  items: readonly unknown[],
  calls: readonly WireCall[],
  format: CallFormat,
): readonly unknown[] {
  const places: number[] = []
  const slots: Slot[] = []
  items.forEach((item, place) => {
    const slot = format.slot(item)
    if (slot === undefined) return
    places.push(place)
    slots.push(slot)
  })
  const byPlace = group(calls, alignCalls(slots, calls), places, items.length)
  const woven: unknown[] = []
  const isSlot = new Set(places)
  items.forEach((item, place) => {
    if (!isSlot.has(place)) woven.push(item)
    byPlace.get(place)?.forEach((wire, index) => {
      woven.push(format.write(wire, index === 0 ? item : undefined))
    })
  })
  for (const wire of byPlace.get(items.length) ?? []) woven.push(format.write(wire, undefined))
  const same = woven.length === items.length && woven.every((item, index) => item === items[index])
  return same ? items : woven
}

/** Calls by the place where they go, the owner of a place first; `end` is the place of calls that follow nothing. */
function group(
  calls: readonly WireCall[],
  owners: readonly number[],
  places: readonly number[],
  end: number,
): Map<number, WireCall[]> {
  const byPlace = new Map<number, WireCall[]>()
  let place = end
  calls.forEach((wire, index) => {
    const owner = owners[index]!
    if (owner !== -1) place = places[owner]!
    const here = byPlace.get(place)
    if (here === undefined) byPlace.set(place, [wire])
    else here.push(wire)
  })
  return byPlace
}
