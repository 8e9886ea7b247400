import { ToolError } from '@callgate/spec'

import { openStrictly } from '../guard/locate.ts'
import { codeOf } from '../guard/system-error.ts'
import { textOfRawPath } from '../path/raw-name.ts'
import type { Root } from '../roots/root.ts'
import { endOfName, recordsOf } from '../search/records.ts'
import { kernelGlobs, ripgrep } from '../search/ripgrep.ts'
import { removeLeftOvers } from './left-over.ts'
import { tempGlob } from './temp-name.ts'

const maxMs = 5000

/**
 * Takes away what processes left behind that were ended in the middle of a write (C7).
 *
 * Looks below the roots for the names of files that this package gives, for five seconds at most, and takes the locks
 * beside them away too; ripgrep tells of no links, so that a lock alone is not seen. A root that is not there is passed
 * over; what uses it says so. Gives back whether it saw everything.
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
      let last: string | undefined
      for await (const record of recordsOf(ripgrep(folder, args, signal), endOfName)) {
        const parts = textOfRawPath(record.subarray(0, -1)).split('/').slice(0, -1)
        const place = parts.join('/')
        // All of a folder is taken away at once.
        if (place === last) continue
        last = place
        await removeLeftOvers(root, parts, signal)
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
