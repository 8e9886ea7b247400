import type { Ports } from '@callgate/spec'

export interface MemoryAudit {
  append(entry: object): void
  /** The newest entries, oldest first. */
  entries(): readonly object[]
}

/** An audit that keeps the newest `capacity` entries in memory; default 2000. */
export function memoryAudit(capacity: number = 2000): MemoryAudit & Ports['audit'] {
  const ring: object[] = []
  let written = 0
  return {
    append(entry) {
      ring[written++ % capacity] = entry
    },
    entries() {
      const oldest = written <= capacity ? 0 : written % capacity
      return [...ring.slice(oldest), ...ring.slice(0, oldest)]
    },
  }
}
