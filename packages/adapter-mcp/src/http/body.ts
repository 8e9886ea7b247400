import { Buffer } from 'node:buffer'
import type { IncomingMessage } from 'node:http'

import { FaultError } from '../channel/fault.ts'

/** Reads a body whole, up to a limit in bytes. By events: an async iterator costs as much as the rest of a small call. */
export function readBody(body: IncomingMessage, limit: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    body.on('data', (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size <= limit) return
      reject(new FaultError({ kind: 'too-large', bytes: size, limit }, 'the body is too large'))
      body.destroy()
    })
    body.once('end', () => resolve(Buffer.concat(chunks, size).toString('utf8')))
    const broken = (cause?: Error): void => {
      reject(new FaultError({ kind: 'lost', reason: 'the answer broke off', cause }, 'broke off'))
    }
    body.once('error', broken)
    body.once('close', broken)
  })
}

/** What a server says about a failure: the start of its answer, or nothing when that cannot be read. */
export async function readExcerpt(body: IncomingMessage): Promise<string> {
  try {
    return await readBody(body, 64 * 1024)
  } catch {
    return ''
  }
}
