import { constants, type Stats } from 'node:fs'

import type { RelativePath } from '../path/parse-path.ts'
import type { Root } from '../roots/root.ts'
import { locate } from './locate.ts'
import { lookAnew } from './look-anew.ts'
import { checkReadable } from './regular-file.ts'

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

/** Looks at a file or folder, and opens it where `wanted` does so. */
export function openWhere<Descriptor>(
  root: Root,
  path: RelativePath,
  parameter: string,
  wanted: (stat: Stats, open: () => number) => Descriptor,
): Opened<Descriptor> {
  return lookAnew(() => {
    const entry = locate(root, path, parameter)
    try {
      const fd = wanted(entry.stat, () => entry.open(constants.O_RDONLY))
      return { stat: entry.stat, fd }
    } finally {
      entry.close()
    }
  })
}
