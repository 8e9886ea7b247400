import { lstatSync, unlinkSync } from 'node:fs'

import { ToolError } from '@callgate/spec'

import { openStrictly } from '../guard/locate.ts'
import { codeOf } from '../guard/system-error.ts'
import { textOfRawPath } from '../path/raw-name.ts'
import type { Root } from '../roots/root.ts'
import { endOfName, recordsOf } from '../search/records.ts'
import { kernelGlobs, ripgrep } from '../search/ripgrep.ts'
import { ownerOf, tempGlob } from './temp-name.ts'

/** A file of another host that is older was left behind; a younger one may be in the middle of being written. */
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
  const sawAll = await Promise.all(roots.map((root) => sweepRoot(root, limited)))
  return !limited.aborted && !sawAll.includes(false)
}

async function sweepRoot(root: Root, signal: AbortSignal): Promise<boolean> {
  try {
    const args = ['--files', '--hidden', '--no-ignore', `--glob=${tempGlob}`, ...kernelGlobs(root)]
    const folder = openStrictly(root, [], 'root')
    try {
      for await (const record of recordsOf(ripgrep(folder, args, signal), endOfName)) {
        removeLeftOver(root, textOfRawPath(record.subarray(0, -1)).split('/'))
      }
      return true
    } finally {
      folder.close()
    }
  } catch (error) {
    if (ToolError.isInstance(error)) return error.rule === 'root-missing'
    if (codeOf(error) !== undefined) return false
    throw error
  }
}

function removeLeftOver(root: Root, parts: readonly string[]): void {
  const name = parts.at(-1) ?? ''
  const folder = openStrictly(root, parts.slice(0, -1), 'root')
  try {
    const path = folder.child(name)
    const changedMs = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity
    const owner = ownerOf(name, changedMs)
    const isOld = Date.now() - changedMs > otherHostMs
    if (owner === 'dead' || (owner === 'other-host' && isOld)) unlinkSync(path)
  } finally {
    folder.close()
  }
}
