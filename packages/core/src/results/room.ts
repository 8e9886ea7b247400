/** As much of a result is taken as of a stream: 16 Mi units, which are its characters or bytes, and more for each value. */
const maxUnits = 16 * 1024 * 1024
/** What a value takes besides its characters: about half a million values go in. */
const unitsOfValue = 32

/** How much may still be taken of one value. What is met twice is written twice, and counts twice. */
export interface Room {
  left: number
  /** Whether something was left out for want of room. */
  isCut: boolean
}

export function newRoom(): Room {
  return { left: maxUnits, isCut: false }
}

/** Whether there is room for one more value; takes it. */
export function hasRoom(room: Room): boolean {
  if (room.left <= 0) {
    room.isCut = true
    return false
  }
  room.left -= unitsOfValue
  return true
}
