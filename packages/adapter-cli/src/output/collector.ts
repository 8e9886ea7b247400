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
  /** The blob did not take all. */
  readonly isBlobPartial: boolean
}

/** Collects one output; a blob is opened when it becomes too long to be kept whole. */
export function collector(name: string, context: InvokeContext): Collector {
  const kept = capture()
  let blob: Blob | undefined
  let hasFailed = false
  let last: Promise<void> = Promise.resolve()

  // The run goes on when the blob fails: both ends are kept, and the result says that the blob is not whole.
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    if (hasFailed) return
    try {
      await work()
    } catch (error) {
      hasFailed = true
      context.log.warn('The whole output could not be kept.', { name, error })
    }
  }
  const write = (bytes: Uint8Array): Promise<void> => {
    last = last.then(() =>
      attempt(async () => {
        blob ??= context.blob({ mediaType: 'application/octet-stream', name })
        await blob.write(bytes)
      }),
    )
    return last
  }
  const close = async (): Promise<string | undefined> => {
    await last
    let blobId: string | undefined
    const opened = blob
    if (opened !== undefined) await attempt(async () => void ({ blobId } = await opened.close()))
    return blobId
  }
  return {
    add: (chunk) => {
      const spilled = kept.add(chunk)
      return spilled === undefined ? undefined : write(spilled)
    },
    get totalBytes() {
      return kept.totalBytes
    },
    finish: async (exact) => {
      const captured = kept.result()
      if ('whole' in captured && exact(captured.whole)) void write(captured.whole)
      const blobId = await close()
      return { captured, blobId, isBlobPartial: hasFailed }
    },
    abandon: () => {
      void close()
      return { captured: kept.result(), blobId: undefined, isBlobPartial: true }
    },
  }
}
