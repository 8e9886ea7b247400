import type { Ports } from '@callgate/spec'

export interface MemoryAudit {
  append(entry: object): void
  /** The newest entries, oldest first. */
  entries(): readonly object[]
}

/** An audit that keeps the newest `capacity` entries in memory. */
export function memoryAudit(capacity = 10_000): MemoryAudit & Ports['audit'] {
  let entries: object[] = []
  return {
    append(entry) {
      entries.push(entry)
      // Cut in halves, so that a full audit does not move every entry at each call.
      if (entries.length >= capacity * 2) entries = entries.slice(-capacity)
    },
    entries: () => entries.slice(-capacity),
  }
}
