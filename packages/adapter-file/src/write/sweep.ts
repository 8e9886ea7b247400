import { statSync, unlinkSync } from 'node:fs'

import { ToolError } from '@callgate/spec'

import { openStrictly } from '../guard/locate.ts'
import { nameText } from '../path/raw-name.ts'
import type { Root } from '../roots/root.ts'
import { endOfName, recordsOf } from '../search/records.ts'
import { kernelGlobs, ripgrep } from '../search/ripgrep.ts'
import { ownerOf, tempGlob } from './temp-name.ts'

/** A file of another host that old was left behind; a younger one may be in the middle of being written. */
const otherHostMs = 3_600_000
const maxMs = 5000

/**
 * Takes away what processes left behind that were ended in the middle of a write (C7).
 *
 * Looks below the roots for the names that this package gives, for five seconds at most. A root that is not there
 * is passed over; what uses it says so. Gives back whether it saw everything.
 */
export async function sweepTemps(roots: readonly Root[], signal: AbortSignal): Promise<boolean> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(maxMs)])
  await Promise.all(roots.map((root) => sweepRoot(root, limited)))
  return !limited.aborted
}

async function sweepRoot(root: Root, signal: AbortSignal): Promise<void> {
  try {
    const args = ['--files', '--hidden', '--no-ignore', `--glob=${tempGlob}`, ...kernelGlobs(root)]
    const folder = openStrictly(root, [], 'root')
    try {
      for await (const record of recordsOf(ripgrep(folder, args, signal), endOfName)) {
        const names = record.subarray(0, -1).toString('latin1').split('/')
        removeLeftOver(
          root,
          names.map((name) => nameText(Buffer.from(name, 'latin1'))),
        )
      }
    } finally {
      folder.close()
    }
  } catch (error) {
    if (!ToolError.isInstance(error)) throw error
  }
}

function removeLeftOver(root: Root, parts: readonly string[]): void {
  const name = parts.at(-1) ?? ''
  const owner = ownerOf(name)
  if (owner === 'none' || owner === 'alive') return
  const folder = openStrictly(root, parts.slice(0, -1), 'root')
  try {
    const path = folder.child(name)
    const isOld =
      Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > otherHostMs
    if (owner === 'dead' || isOld) unlinkSync(path)
  } finally {
    folder.close()
  }
}
