import type { Readable } from 'node:stream'

import { ToolError, type InvokeContext } from '@callgate/spec'

import type { HttpLimits } from '../exchange/limits.ts'
import { openBlob } from './open-blob.ts'

/** A body that was read: in memory, or its head and the blob that holds all of it. */
export interface Collected {
  readonly bytes: Uint8Array
  readonly blob?: { readonly blobId: string; readonly bytes: number }
}

/**
 * Reads a body under the limits (D12, D13): up to `inlineBytes` in memory, beyond it to a blob as a stream.
 *
 * @throws ToolError `tool_failed` (`response-size`) beyond `responseBytes`, counted after decoding; `internal` (`blob`).
 */
export async function collect(
  stream: Readable,
  limits: Required<HttpLimits>,
  context: Pick<InvokeContext, 'blob'>,
  blobOptions: { mediaType: string; name?: string },
): Promise<Collected> {
  const chunks: Uint8Array[] = []
  let blob: ReturnType<InvokeContext['blob']> | undefined
  let size = 0
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > limits.responseBytes) throw tooLarge(limits.responseBytes)
      if (blob) await blob.write(chunk)
      else {
        chunks.push(chunk)
        if (size > limits.inlineBytes) {
          blob = openBlob(context, blobOptions)
          await blob.write(Buffer.concat(chunks))
        }
      }
    }
  } catch (cause) {
    // Whoever keeps it may hold a file open as long; the call does not wait for that.
    blob?.close().catch(() => undefined)
    throw cause
  }
  const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
  return blob ? { bytes, blob: await blob.close() } : { bytes }
}

function tooLarge(limit: number): ToolError {
  return new ToolError({
    code: 'tool_failed',
    rule: 'response-size',
    started: 'yes',
    message: `The answer is longer than ${limit} bytes and was broken off.`,
  })
}
