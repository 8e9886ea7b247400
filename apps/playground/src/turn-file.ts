import { readTurn } from '@callgate/interop'
import { CallgateError } from '@callgate/spec'

import { readInput } from './read-input.ts'
import { sentence } from './report/error-line.ts'

/** An assistant message as it was recorded, and the turn in it. */
export interface RecordedTurn extends ReturnType<typeof readTurn> {
  readonly message: unknown
}

/**
 * Reads a recorded assistant message from a JSON file; `-` is standard input.
 *
 * @throws CallgateError `malformed_call` naming the file and what is wrong with it.
 */
export async function readTurnFile(path: string, signal: AbortSignal): Promise<RecordedTurn> {
  const message = parse(await read(path, signal), path)
  return { message, ...readTurn(message) }
}

function parse(content: string, path: string): unknown {
  try {
    return JSON.parse(content) as unknown
  } catch (cause) {
    throw new CallgateError({
      code: 'malformed_call',
      rule: 'turn-file',
      where: path,
      message: sentence(`The turn file is not JSON: ${(cause as Error).message}`),
      hint: 'Record one assistant message as the provider gives it, for example the body of its answer.',
      cause,
    })
  }
}

async function read(path: string, signal: AbortSignal): Promise<string> {
  try {
    return await readInput(path, signal)
  } catch (cause) {
    throw new CallgateError({
      code: 'malformed_call',
      rule: 'turn-file',
      where: path,
      message: sentence(`The turn file cannot be read: ${(cause as Error).message}`),
      hint: 'Give the path of a JSON file with one assistant message.',
      cause,
    })
  }
}
