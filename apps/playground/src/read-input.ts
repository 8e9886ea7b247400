import { readFile } from 'node:fs/promises'
import { addAbortSignal } from 'node:stream'
import { text } from 'node:stream/consumers'

/**
 * The text of a file; `-` is standard input, for which nobody waits once the signal is aborted. Throws what reading
 * throws.
 */
export function readInput(path: string, signal: AbortSignal): Promise<string> {
  return path === '-'
    ? text(addAbortSignal(signal, process.stdin))
    : readFile(path, { encoding: 'utf8', signal })
}
