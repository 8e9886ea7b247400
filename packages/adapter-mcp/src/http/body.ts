import type { IncomingMessage } from 'node:http'

import { FaultError } from '../channel/fault.ts'

/** Reads a body whole, up to a limit in bytes. */
export async function readBody(body: IncomingMessage, limit: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > limit) {
        body.destroy()
        throw new FaultError({ kind: 'too-large', bytes: size, limit }, 'the body is too large')
      }
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof FaultError) throw error
    throw new FaultError(
      { kind: 'lost', reason: 'the answer broke off', cause: error },
      'broke off',
    )
  }
  return Buffer.concat(chunks, size).toString('utf8')
}

/** What a server says about a failure: the start of its answer, or nothing when that cannot be read. */
export async function readExcerpt(body: IncomingMessage): Promise<string> {
  try {
    return await readBody(body, 64 * 1024)
  } catch {
    return ''
  }
}
