import { lstatSync } from 'node:fs'

import { namesIn } from '../folder/names.ts'
import { openStrictly } from '../guard/locate.ts'
import { codeOf } from '../guard/system-error.ts'
import type { Root } from '../roots/root.ts'
import { holderOf, unlinkIfPermitted, withLock } from './file-lock.ts'
import { isLockName, ownerOf } from './temp-name.ts'

/** A file of another host that is older was left behind; a younger one may be in the middle of being written. */
const otherHostMs = 3_600_000

/**
 * Takes away what processes left in a folder that were ended in the middle of a write: new files that never got their
 * name, and locks (C7). What may not be looked at or taken away stays.
 */
export async function removeLeftOvers(
  root: Root,
  parts: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const folder = openStrictly(root, parts, 'path')
  try {
    const { names } = await namesIn(folder, Infinity, signal)
    for (const name of names) {
      const path = folder.child(name)
      if (!name.startsWith('.callgate-') || !isLeftOver(path, name)) continue
      // Another may take it over in this moment.
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      if (isLockName(name)) await withLock(folder, name, signal, () => undefined)
      else unlinkIfPermitted(path)
    }
  } catch (error) {
    if (codeOf(error) === undefined) throw error
  } finally {
    folder.close()
  }
}

function isLeftOver(path: string | Buffer, name: string): boolean {
  const changedMs = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity
  const owner = ownerOf(isLockName(name) ? holderOf(path) : name, changedMs)
  const isOld = Date.now() - changedMs > otherHostMs
  return owner === 'dead' || (owner === 'other-host' && isOld)
}
