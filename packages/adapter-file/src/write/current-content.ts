import { closeSync, constants, fstatSync, readFileSync } from 'node:fs'

import { openChild } from '../guard/locate.ts'
import { lookAnew } from '../guard/look-anew.ts'
import type { Spot } from '../guard/parent.ts'
import { fail } from '../guard/refuse.ts'
import { checkReplaceable } from '../guard/regular-file.ts'

/** The content of the file at a spot, whole. @throws ToolError when it is larger than `maxBytes`. */
export function currentContent(spot: Spot, maxBytes: number): Buffer {
  return lookAnew(() => contentAt(spot, maxBytes))
}

function contentAt({ folder, name }: Spot, maxBytes: number): Buffer {
  const entry = openChild(folder, name, 'path')
  try {
    checkReplaceable(entry.stat, 'path')
    const fd = entry.open(constants.O_RDONLY)
    try {
      const { size } = fstatSync(fd)
      if (size > maxBytes) {
        fail('too-large', 'path', `The file has ${size} bytes; files up to ${maxBytes} are edited.`)
      }
      return readFileSync(fd)
    } finally {
      closeSync(fd)
    }
  } finally {
    entry.close()
  }
}
