import type { Stats } from 'node:fs'

/** The beginning of a line: its number from 1, and the byte where it begins. */
export interface LineStart {
  readonly line: number
  readonly offset: number
}

const maxFiles = 64
const maxStarts = 2048

/** Remembers where lines begin in files that were read by pages, so that the next page is not searched from the top. */
export interface LineIndex {
  /** The last known line start at or before a line. */
  before(file: Stats, line: number): LineStart | undefined
  add(file: Stats, start: LineStart): void
}

export function lineIndex(): LineIndex {
  const files = new Map<string, LineStart[]>()
  return {
    before: (file, line) => files.get(identityOf(file))?.findLast((start) => start.line <= line),
    add(file, start) {
      if (!isSettled(file)) return
      const key = identityOf(file)
      const starts = files.get(key) ?? []
      // The file that was used last goes last.
      files.delete(key)
      files.set(key, starts)
      const at = starts.findLastIndex((known) => known.line <= start.line)
      if (starts[at]?.line !== start.line) starts.splice(at + 1, 0, start)
      if (starts.length > maxStarts) starts.shift()
      if (files.size > maxFiles) files.delete(files.keys().next().value as string)
    },
  }
}

/** Whether the next change of a file will be seen in its times: a second one within the same tick is not. */
export function isSettled({ ctimeMs }: Stats): boolean {
  return Date.now() - ctimeMs > 1000
}

/** The same text as long as nobody wrote to the file. */
export function identityOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`
}
