import { windowBytes } from './messages.ts'

/** Counts the bytes on the way, so that neither side of the channel holds more than the window. */
export interface Credit {
  /** Pending while the window is full. */
  spend(bytes: number): void | Promise<void>
  give(bytes: number): void
}

export function credit(): Credit {
  let onTheWay = 0
  let waiting: (() => void)[] = []
  return {
    spend: (bytes) => {
      onTheWay += bytes
      if (onTheWay < windowBytes) return undefined
      return new Promise((resolve) => {
        waiting.push(resolve)
      })
    },
    give: (bytes) => {
      onTheWay -= bytes
      if (onTheWay >= windowBytes) return
      const ready = waiting
      waiting = []
      for (const resolve of ready) resolve()
    },
  }
}
