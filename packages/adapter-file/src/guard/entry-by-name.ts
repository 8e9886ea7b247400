import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  realpathSync,
  type Stats,
} from 'node:fs'
import { join } from 'node:path'

import { ToolError } from '@callgate/spec'

import type { Entry } from './entry.ts'

// macOS: no part of the path may be a link. Not among the constants of Node.
const noLinkAnywhere = process.platform === 'darwin' ? 0x2000_0000 : (constants.O_NOFOLLOW ?? 0)

/**
 * Where there is no /proc (macOS, Windows): the entry is a path, looked at before and after it is opened. Whoever can
 * swap folders in between twice, back and forth, is not seen; on macOS links are refused in the opening itself.
 */
export function openByName(path: string | Buffer): Entry {
  const name = path.toString()
  const stat = lstatSync(name)
  const place = (): string => realpathSync.native(name)
  return {
    stat,
    place,
    open(flags) {
      const before = place()
      const fd = openSync(name, flags | noLinkAnywhere | (constants.O_NONBLOCK ?? 0))
      if (isSame(fstatSync(fd), stat) && place() === before) return fd
      closeSync(fd)
      throw new ToolError({
        code: 'guard_refused',
        rule: 'symlink',
        message: 'The file was exchanged while it was opened.',
        started: 'no',
      })
    },
    child: (child) => join(name, child),
    close: () => undefined,
  }
}

function isSame(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino
}
