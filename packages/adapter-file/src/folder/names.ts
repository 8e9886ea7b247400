import { opendir } from 'node:fs/promises'

import type { Entry } from '../guard/entry.ts'
import { throwIfAborted } from '../guard/refuse.ts'
import { nameText } from '../path/raw-name.ts'

/** The names in a folder, sorted by their code points; at most `max` are looked at. */
export async function namesIn(
  folder: Entry,
  max: number,
  signal?: AbortSignal,
): Promise<{ readonly names: readonly string[]; readonly isWhole: boolean }> {
  // The folder itself, held, not whatever its name means now.
  const directory = await opendir(folder.child('.'), { encoding: 'buffer' as BufferEncoding })
  const names: string[] = []
  let isWhole = true
  for await (const { name } of directory) {
    if (signal !== undefined) throwIfAborted(signal)
    if (names.length === max) {
      isWhole = false
      break
    }
    names.push(nameText(name as unknown as Buffer))
  }
  return { names: names.toSorted(byCodePoint), isWhole }
}

/** Code points, so that the order is the same everywhere. */
export function byCodePoint(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
