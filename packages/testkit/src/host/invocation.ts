import type { AdapterInstance, AdapterOutput, InvokeContext, ToolDefinition } from '@callgate/spec'

import { SuiteContext } from './suite-context.ts'

export type Outcome =
  | { readonly ok: true; readonly output: AdapterOutput }
  | { readonly ok: false; readonly error: unknown }

type Progress = Parameters<InvokeContext['progress']>[0]

/** One call in flight, and all that the adapter did with its context. */
export interface Invocation {
  /** Never rejects. */
  readonly outcome: Promise<Outcome>
  readonly progress: readonly Progress[]
  /** Resolves at the first progress. */
  readonly begun: Promise<void>
  readonly blobs: readonly Blob[]
  abort(): void
}

interface Blob {
  readonly bytes: number
  readonly closed: boolean
}

let calls = 0

export interface CallSettings {
  readonly instance: AdapterInstance
  readonly tool: ToolDefinition
  readonly arguments: { readonly [name: string]: unknown }
  /** The signal is aborted before the call begins. */
  readonly aborted?: boolean
}

/** Calls a tool with a context that records. */
export function invoke({ instance, tool, arguments: args, aborted }: CallSettings): Invocation {
  const controller = new AbortController()
  if (aborted === true) controller.abort()
  const progress: Progress[] = []
  const blobs: { bytes: number; closed: boolean }[] = []
  let begin: (() => void) | undefined
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const callId = `call_${++calls}`
  const context = new SuiteContext({
    signal: controller.signal,
    progress: (each) => {
      progress.push(each)
      begin?.()
    },
    blob: () => recordingBlob(blobs),
  })
  const call = { callId, tool, arguments: args, idempotencyKey: callId, attempt: 1 }
  return {
    outcome: outcomeOf(() => instance.invoke(call, context)),
    progress,
    begun,
    blobs,
    abort: () => controller.abort(),
  }
}

/** A context for a batch, of which nothing is recorded. */
export function batchContext(): InvokeContext {
  return new SuiteContext({
    signal: new AbortController().signal,
    progress: () => {},
    blob: () => recordingBlob([]),
  })
}

async function outcomeOf(run: () => Promise<AdapterOutput>): Promise<Outcome> {
  try {
    return { ok: true, output: await run() }
  } catch (error) {
    return { ok: false, error }
  }
}

function recordingBlob(
  blobs: { bytes: number; closed: boolean }[],
): ReturnType<InvokeContext['blob']> {
  const blob = { bytes: 0, closed: false }
  blobs.push(blob)
  return {
    write: async (chunk) => {
      blob.bytes += chunk.byteLength
    },
    close: async () => {
      blob.closed = true
      return { blobId: `blob_${blobs.indexOf(blob)}`, bytes: blob.bytes }
    },
  }
}
