import { createHash, hash as digestOf } from 'node:crypto'
import type { Stats } from 'node:fs'

import { chunksFrom, readAt, syncBytes } from './bytes.ts'
import { identityOf, isSettled } from './line-index.ts'

/** What {@link hashOf} gives back is compared for equality alone: 64 bits of SHA-256 keep it short for the model. */
const hexDigits = 16
const maxKnown = 512

/** The version of a file: a hash of its content (C8). */
export function hashOf(content: Uint8Array): string {
  return digestOf('sha256', content, 'hex').slice(0, hexDigits)
}

/** Hashes of open files, remembered while they stay as they are. */
export interface HashCache {
  of(fd: number, stat: Stats, signal: AbortSignal): Promise<string>
}

export function hashCache(): HashCache {
  const known = new Map<string, string>()
  return {
    async of(fd, stat, signal) {
      // To read it again costs less than to remember it.
      if (stat.size <= syncBytes) return hashOf(await readAt(fd, 0, stat.size))
      const key = identityOf(stat)
      const found = known.get(key)
      if (found !== undefined) return found
      const hash = createHash('sha256')
      for await (const chunk of chunksFrom(fd, 0, signal)) hash.update(chunk)
      const digest = hash.digest('hex').slice(0, hexDigits)
      if (isSettled(stat)) known.set(key, digest)
      if (known.size > maxKnown) known.delete(known.keys().next().value as string)
      return digest
    },
  }
}
