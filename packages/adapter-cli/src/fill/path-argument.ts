import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'

import { isInside } from '../declare/folders.ts'
import { refuseCall } from './guard.ts'

const pseudoFileSystems = ['/proc', '/sys', '/dev']

/**
 * A path that lies in a folder, links followed, as an argument that no program takes for anything else.
 *
 * Takes the text as sent, the parameter's name and the real path of the folder. A relative path comes back with
 * `./` before it; an absolute one as it is. The file need not exist.
 *
 * What the path leads to can change before the program opens it; only a sandbox closes that gap.
 */
export function pathArgument(text: string, name: string, folder: string): string {
  const refuse = (message: string, reason?: string): never =>
    refuseCall('kind-path', name, message, reason)
  if (text === '') return refuse(`"${name}" is empty; "." is the working directory.`)
  if (text.split(/[\\/]/).includes('..')) return refuse(`"${name}" may not hold "..".`)
  if (/^[^/]*:/.test(text)) {
    return refuse(
      `"${name}" may not have a colon in its first part: it would name another host or drive.`,
    )
  }
  const real = realPathOf(resolve(folder, text))
  if (real === undefined || !isInside(folder, real)) {
    return refuse(
      `"${name}" must lie in the working directory.`,
      `${JSON.stringify(text)} leads to ${real ?? 'nowhere that can be told'}, not below ${folder}.`,
    )
  }
  if (pseudoFileSystems.some((root) => isInside(root, real))) {
    return refuse(
      `"${name}" may not lie in /proc, /sys or /dev.`,
      `${JSON.stringify(text)} leads to ${real}.`,
    )
  }
  return isAbsolute(text) || text === '.' || text.startsWith('./') ? text : `./${text}`
}

/** The real path, of a file that need not exist; undefined when it cannot be told. */
export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch (error) {
    // A link that leads nowhere now could lead anywhere when the program opens it.
    if (!isAbsent(error, path) || isLink(path) || dirname(path) === path) return undefined
    const parent = realPathOf(dirname(path))
    return parent === undefined ? undefined : join(parent, basename(path))
  }
}

/** Bytes of the longest name that a file can have (NAME_MAX). */
const longestName = 255

/** Whether an error says that nothing can be there: also below a file, and by a name that is too long for one. */
function isAbsent(error: unknown, path: string): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT' || code === 'ENOTDIR') return true
  // A path that is too long as a whole may be there for whoever begins in another folder.
  return (
    code === 'ENAMETOOLONG' && path.split(sep).some((name) => Buffer.byteLength(name) > longestName)
  )
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}
