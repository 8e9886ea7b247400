import { isUtf8 } from 'node:buffer'

import type { InvokeContext } from '@callgate/spec'

import type { RunPlan } from '../declare/plan.ts'
import { deferred } from '../process/deferred.ts'
import type { OutputSink } from '../process/request.ts'
import { collector } from './collector.ts'
import { progressFeed } from './progress.ts'
import type { Outputs } from './result.ts'

/** Takes both outputs of one run: keeps them, shows them, and says when they are too long. */
export interface Intake {
  readonly sink: OutputSink
  /** Fires when an output is longer than the tool allows (B9); the rest is dropped. */
  readonly overflow: AbortSignal
  /** What was taken. Waits for blobs only when the program ended by itself, and no longer than the call may take. */
  finish(hasExited: boolean, signal: AbortSignal): Promise<Outputs>
}

export function openIntake(plan: RunPlan, context: InvokeContext): Intake {
  const { encoding, maxOutputBytes, spillBytes } = plan
  const stdout = collector('stdout', spillBytes, context)
  const stderr = collector('stderr', spillBytes, context)
  const taking = {
    stdout: { output: stdout, feed: progressFeed('stdout', encoding, context) },
    stderr: { output: stderr, feed: progressFeed('stderr', encoding, context) },
  }
  const overflow = new AbortController()
  // What is no text is kept byte for byte as well.
  const isBinary = (bytes: Uint8Array): boolean => encoding === 'utf-8' && !isUtf8(bytes)
  const abandon = (): Outputs => ({ stdout: stdout.abandon(), stderr: stderr.abandon() })
  return {
    sink: (stream, chunk) => {
      const { output, feed } = taking[stream]
      const taken = chunk.subarray(0, maxOutputBytes - output.totalBytes)
      if (taken.length < chunk.length) overflow.abort()
      if (taken.length === 0) return undefined
      feed.add(taken)
      return output.add(taken)
    },
    overflow: overflow.signal,
    finish: async (hasExited, signal) => {
      taking.stdout.feed.finish()
      taking.stderr.feed.finish()
      if (!hasExited || signal.aborted) return abandon()
      const both = Promise.all([stdout.finish(isBinary), stderr.finish(isBinary)])
      const finished = await unlessAborted(both, signal)
      return finished === undefined ? abandon() : { stdout: finished[0], stderr: finished[1] }
    },
  }
}

/** The value of a promise, or undefined when the signal fires first. */
async function unlessAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
): Promise<Value | undefined> {
  const aborted = deferred<undefined>()
  const onAbort = (): void => aborted.resolve(undefined)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
