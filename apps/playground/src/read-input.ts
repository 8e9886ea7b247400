import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'

/** The text of a file; `-` is standard input. Throws what reading throws. */
export function readInput(path: string): Promise<string> {
  return path === '-' ? text(process.stdin) : readFile(path, 'utf8')
}
