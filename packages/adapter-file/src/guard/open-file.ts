import { constants, type Stats } from 'node:fs'

import { ToolError } from '@callgate/spec'

import type { RelativePath } from '../path/parse-path.ts'
import type { Root } from '../roots/root.ts'
import { locate, maxLooks } from './locate.ts'
import { checkReadable } from './regular-file.ts'
import { codeOf } from './system-error.ts'

/** What was looked at, and a descriptor of its content, which the caller closes. */
export interface Opened<Descriptor> {
  readonly stat: Stats
  readonly fd: Descriptor
}

/**
 * Opens the content of a file for reading.
 *
 * @throws ToolError as {@link locate}, and for what may not be read.
 */
export function openFile(root: Root, path: RelativePath, parameter: string): Opened<number> {
  return openWhere(root, path, parameter, (stat, open) => {
    checkReadable(stat, root, parameter)
    return open()
  })
}

/**
 * Looks at a file or folder, and opens it where `wanted` does so. Where entries are names, it can be exchanged in
 * between: then it is looked at anew, as {@link locate} does.
 */
export function openWhere<Descriptor>(
  root: Root,
  path: RelativePath,
  parameter: string,
  wanted: (stat: Stats, open: () => number) => Descriptor,
): Opened<Descriptor> {
  for (let looks = 1; ; looks += 1) {
    const entry = locate(root, path, parameter)
    try {
      const fd = wanted(entry.stat, () => entry.open(constants.O_RDONLY))
      return { stat: entry.stat, fd }
    } catch (error) {
      const what = ToolError.isInstance(error) ? error.rule : codeOf(error)
      if (!exchanged.has(what) || looks === maxLooks) throw error
    } finally {
      entry.close()
    }
  }
}

const exchanged: ReadonlySet<string | undefined> = new Set(['symlink', 'ENOENT', 'ELOOP'])
