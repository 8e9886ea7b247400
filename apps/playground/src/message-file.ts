import { readFile } from 'node:fs/promises'

import { CallgateError } from '@callgate/spec'

/**
 * Reads a recorded assistant message from a JSON file; `-` is standard input.
 *
 * @throws CallgateError `malformed_call` naming the file and what is wrong with it.
 */
export async function readMessageFile(path: string): Promise<unknown> {
  const content = await read(path)
  try {
    return JSON.parse(content) as unknown
  } catch (cause) {
    throw new CallgateError({
      code: 'malformed_call',
      rule: 'turn-file',
      where: path,
      message: `The turn file is not JSON: ${(cause as Error).message}.`,
      hint: 'Record one assistant message as the provider gives it, for example the body of its answer.',
      cause,
    })
  }
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path === '-' ? '/dev/stdin' : path, 'utf8')
  } catch (cause) {
    throw new CallgateError({
      code: 'malformed_call',
      rule: 'turn-file',
      where: path,
      message: `The turn file cannot be read: ${(cause as Error).message}.`,
      hint: 'Give the path of a JSON file with one assistant message.',
      cause,
    })
  }
}
