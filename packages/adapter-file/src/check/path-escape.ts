import { realpathSync } from 'node:fs'
import { isAbsolute, relative, sep } from 'node:path'

import { requireOptions, ToolError } from '@callgate/spec'

import { normalizePath } from '../declare/normalize-path.ts'
import { locate } from '../guard/locate.ts'
import type { FileOptions } from '../options.ts'
import { parsePath } from '../path/parse-path.ts'
import { rootsOf, type Root } from '../roots/root.ts'
import type { PathEscapeReport, PathVerdict } from './report.ts'

/**
 * Tries one path on every root with the guard that calls go through, and says which rule fired (R13.1
 * `test path_escape`).
 *
 * Takes the options of the adapter and the path. Looks at the disk and changes nothing; no content is read.
 *
 * @throws InvalidOptionsError when the options have no roots, or one does not fit.
 */
export function testPathEscape(options: FileOptions, target: string): PathEscapeReport {
  requireOptions('file', options)
  const roots = [...rootsOf(options.roots).values()].map((root) => verdictOf(root, target))
  return { ok: roots.every(({ outcome }) => outcome !== 'hole'), target, roots }
}

function verdictOf(root: Root, target: string): PathVerdict {
  try {
    const entry = locate(
      root,
      parsePath(root.normalizePath ? normalizePath(root, target) : target, 'target'),
      'target',
    )
    try {
      return { root: root.name, outcome: isInside(root, entry.place()) ? 'inside' : 'hole' }
    } finally {
      entry.close()
    }
  } catch (error) {
    if (!ToolError.isInstance(error)) throw error
    const { rule = error.code, message, code } = error
    return {
      root: root.name,
      outcome: code === 'guard_refused' ? 'refused' : 'inside',
      rule,
      message,
    }
  }
}

/** Asked of the system once more, by another way than the guard's. */
function isInside(root: Root, place: string): boolean {
  const way = relative(realpathSync(root.declaredPath), place)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
