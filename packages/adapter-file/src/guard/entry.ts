import type { Stats } from 'node:fs'

/**
 * Something on the disk that is held, so that what is asked about it and done with it concerns the same thing, whatever
 * happens to its name meanwhile (C2).
 */
export interface Entry {
  readonly stat: Stats
  /** The path of the host where it lies now, without links; names that are not UTF-8 in their written form. */
  place(): string
  /** A descriptor of its content; waits for nobody. The caller closes it. */
  open(flags: number): number
  /** The path of a name in this folder, to be used while the entry is open. */
  child(name: string): string | Buffer
  close(): void
}

/** Holds what a path names. A link as its last part is held itself, not what it leads to; nothing is read or started. */
export type OpenEntry = (path: string | Buffer) => Entry
