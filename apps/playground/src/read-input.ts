import { readFile } from 'node:fs/promises'
import { addAbortSignal } from 'node:stream'
import { text } from 'node:stream/consumers'

/**
 * The text of a file; `-` is standard input, for which nobody waits once the signal is aborted. A byte order mark, as
 * Windows puts it in front, is no part of it. Throws what reading throws.
 */
export async function readInput(path: string, signal: AbortSignal): Promise<string> {
  const content =
    path === '-'
      ? await text(addAbortSignal(signal, process.stdin))
      : await readFile(path, { encoding: 'utf8', signal })
  return content.replace(/^\u{FEFF}/u, '')
}
