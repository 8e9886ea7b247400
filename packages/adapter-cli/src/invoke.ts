import { isUtf8 } from 'node:buffer'

import type { AdapterOutput, InvokeContext } from '@callgate/spec'

import type { RunPlan } from './declare/plan.ts'
import type { Command } from './fill/build-command.ts'
import { confine } from './isolate/confine.ts'
import { collector, type Collector } from './output/collector.ts'
import { abortedError, lostError, overflowError, refusedError } from './output/faults.ts'
import { progressFeed } from './output/progress.ts'
import { partialOutput, resultOf, throwOnLimit, type Outputs } from './output/result.ts'
import { deferred } from './process/deferred.ts'
import type { Launcher, OutputSink, RunEnd, Stream } from './process/request.ts'

/**
 * Runs a command and reports what it did (R8.1, R10.1).
 *
 * @throws ToolError when nothing ran, when the signal ended it, or when a limit did.
 */
export async function runCommand(
  plan: RunPlan,
  command: Command,
  launcher: Launcher,
  graceMs: number,
  context: InvokeContext,
): Promise<AdapterOutput> {
  if (context.signal.aborted) throw abortedError(context.signal, 'no')
  const collectors = { stdout: collector('stdout', context), stderr: collector('stderr', context) }
  const overflow = new AbortController()
  const feeds = {
    stdout: progressFeed('stdout', plan.encoding, context),
    stderr: progressFeed('stderr', plan.encoding, context),
  }
  const sink: OutputSink = (stream, chunk) => {
    if (collectors[stream].totalBytes + chunk.length > plan.maxOutputBytes) {
      overflow.abort()
      return undefined
    }
    feeds[stream].add(chunk)
    return collectors[stream].add(chunk)
  }
  const request = confine(plan, command, graceMs)
  const signal = AbortSignal.any([context.signal, overflow.signal])
  const end = await launcher.run(request, sink, signal)
  feeds.stdout.finish()
  feeds.stderr.finish()
  if (end.kind === 'aborted' && end.survivors > 0) {
    context.log.error('Processes could not be ended.', { count: end.survivors })
  }
  const outputs = await finishAll(plan, collectors, end, context.signal)
  return conclude(plan, end, outputs, context.signal)
}

function conclude(
  plan: RunPlan,
  end: RunEnd,
  outputs: Outputs,
  signal: AbortSignal,
): AdapterOutput {
  if (end.kind === 'exited') {
    throwOnLimit(plan, end, outputs)
    return resultOf(plan, end, outputs)
  }
  if (end.kind === 'refused') throw refusedError(plan, end)
  if (end.kind === 'lost') throw lostError()
  const partial = partialOutput(outputs, plan.encoding)
  throw signal.aborted ? abortedError(signal, 'unknown', partial) : overflowError(plan, partial)
}

/** What is no text is kept byte for byte as well; a call that was ended does not wait for its blobs. */
async function finishAll(
  plan: RunPlan,
  { stdout, stderr }: { readonly [stream in Stream]: Collector },
  end: RunEnd,
  signal: AbortSignal,
): Promise<Outputs> {
  const abandon = (): Outputs => ({ stdout: stdout.abandon(), stderr: stderr.abandon() })
  if (end.kind !== 'exited' || signal.aborted) return abandon()
  const isBinary = (bytes: Uint8Array): boolean => plan.encoding === 'utf-8' && !isUtf8(bytes)
  const aborted = deferred<undefined>()
  const onAbort = (): void => aborted.resolve(undefined)
  signal.addEventListener('abort', onAbort, { once: true })
  const both = Promise.all([stdout.finish(isBinary), stderr.finish(isBinary)])
  const finished = await Promise.race([both, aborted.promise])
  signal.removeEventListener('abort', onAbort)
  return finished === undefined ? abandon() : { stdout: finished[0], stderr: finished[1] }
}
