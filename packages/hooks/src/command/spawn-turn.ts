let last: Promise<void> | undefined

/**
 * Resolves when a process may be started: at once, but for one that was started in this turn of the event loop. To
 * start a process holds up this one for milliseconds, so that hundreds at once would hold it up for seconds.
 */
export function spawnTurn(): Promise<void> {
  const mine = last ?? Promise.resolve()
  const next = mine.then(() => new Promise<void>((resolve) => setImmediate(resolve)))
  last = next
  void next.then(() => {
    if (last === next) last = undefined
  })
  return mine
}
