import type { Stats } from 'node:fs'

import type { Spot } from '../guard/parent.ts'
import { fail } from '../guard/refuse.ts'
import { hashOf } from '../read/content-hash.ts'
import { currentContent } from './current-content.ts'

/**
 * Looks once more at a file that is about to be replaced: whoever else writes to it may have done so since.
 *
 * Times that are the same say that nobody did; other times alone are no conflict, the content decides (C8).
 *
 * @throws ToolError `tool_failed` conflict, or not-found when it is gone.
 */
export function checkUnchanged(spot: Spot, before: Stats, hash: string, maxBytes: number): void {
  const now = spot.look()
  if (now === undefined) fail('not-found', 'path', 'The file is not there any more.')
  if (isSame(now, before)) return
  const found = hashOf(currentContent(spot, maxBytes))
  if (found !== hash) conflict(found)
}

/** @throws ToolError `tool_failed` conflict with the hash of what is there now. */
export function conflict(hash: string): never {
  const message = `The file was changed since you read it; its hash is now ${hash}. Read it again.`
  return fail('conflict', 'hash', message, { hash })
}

function isSame(one: Stats, other: Stats): boolean {
  return (
    one.dev === other.dev &&
    one.ino === other.ino &&
    one.size === other.size &&
    one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs
  )
}
