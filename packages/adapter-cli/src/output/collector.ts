import type { InvokeContext } from '@callgate/spec'

import { capture, type Captured } from './capture.ts'

type Blob = ReturnType<InvokeContext['blob']>

/** One output of a run: what is kept for the model, and the whole of a long one in a blob. */
export interface Collector {
  /** Pending as long as the blob takes it. */
  add(chunk: Uint8Array): void | Promise<void>
  readonly totalBytes: number
  /** Closes the blob. `exact` wants one for a short output as well. */
  finish(exact: (whole: Uint8Array) => boolean): Promise<CollectedOutput>
  /** What there is now; the blob is closed without waiting for it. */
  abandon(): CollectedOutput
}

export interface CollectedOutput {
  readonly captured: Captured
  readonly blobId: string | undefined
  /** Bytes from the beginning of the output that the blob holds. */
  readonly blobBytes: number
}

/**
 * Collects one output; a blob is opened when it becomes too long to be kept whole, and takes its first `spillBytes`
 * bytes (R8.1).
 */
export function collector(name: string, spillBytes: number, context: InvokeContext): Collector {
  const kept = capture()
  let blob: Blob | undefined
  let room = spillBytes
  let blobBytes = 0
  let last: Promise<void> = Promise.resolve()

  // The run goes on when the blob fails: both ends are kept, and the result says how much of it the blob holds.
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      room = 0
      context.log.warn('The whole output could not be kept.', { name, error })
    }
  }
  const write = (bytes: Uint8Array): Promise<void> => {
    last = last.then(() => {
      const fitting = bytes.subarray(0, room)
      if (fitting.length === 0) return undefined
      room -= fitting.length
      return attempt(async () => {
        blob ??= context.blob({ mediaType: 'application/octet-stream', name })
        await blob.write(fitting)
        blobBytes += fitting.length
      })
    })
    return last
  }
  const close = async (): Promise<string | undefined> => {
    await last
    let blobId: string | undefined
    const opened = blob
    // Also after a fault: what it took until then can be read.
    if (opened !== undefined) await attempt(async () => void ({ blobId } = await opened.close()))
    return blobBytes > 0 ? blobId : undefined
  }
  return {
    add: (chunk) => {
      const spilled = kept.add(chunk)
      return spilled === undefined || room === 0 ? undefined : write(spilled)
    },
    get totalBytes() {
      return kept.totalBytes
    },
    finish: async (exact) => {
      const captured = kept.result()
      if ('whole' in captured && exact(captured.whole)) void write(captured.whole)
      const blobId = await close()
      return { captured, blobId, blobBytes }
    },
    abandon: () => {
      void close()
      return { captured: kept.result(), blobId: undefined, blobBytes: 0 }
    },
  }
}
