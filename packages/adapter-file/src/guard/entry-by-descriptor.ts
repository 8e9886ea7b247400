import { closeSync, constants, fstatSync, openSync, readlinkSync } from 'node:fs'

import { nameText, rawPath } from '../path/raw-name.ts'
import type { Entry } from './entry.ts'

// Not among the constants of Node; the same on all architectures that Node runs on under Linux.
const holdOnly = 0o10000000

/**
 * Linux: the entry is a descriptor that permits nothing but to be asked about (O_PATH), so that a device or pipe behind
 * a path is not touched by looking. Its place is what the kernel says of it, and everything else goes through it.
 */
export function openByDescriptor(path: string | Buffer): Entry {
  const fd = openSync(path, holdOnly | constants.O_NOFOLLOW)
  const self = `/proc/self/fd/${fd}`
  try {
    return {
      stat: fstatSync(fd),
      place: () => placeOfLink(self),
      open: (flags) => openSync(self, flags | constants.O_NONBLOCK),
      child: (name) => below(self, name),
      close: () => closeSync(fd),
    }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

function placeOfLink(self: string): string {
  const text = readlinkSync(self)
  if (!text.includes('\uFFFD')) return text
  const bytes = readlinkSync(self, 'buffer').toString('latin1')
  return bytes
    .split('/')
    .map((name) => nameText(Buffer.from(name, 'latin1')))
    .join('/')
}

function below(folder: string, name: string): string | Buffer {
  const raw = rawPath(name)
  return typeof raw === 'string'
    ? `${folder}/${raw}`
    : Buffer.concat([Buffer.from(`${folder}/`), raw])
}
