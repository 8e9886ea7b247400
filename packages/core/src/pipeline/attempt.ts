import type { AdapterOutput } from '@callgate/spec'

import { failure, type Failure } from '../results/failure.ts'
import { StopSource } from '../turn/stop.ts'
import type { Call, Produced } from './call.ts'
import { classify } from './classify.ts'
import { hookFailure, hookNote } from './hook-failures.ts'
import { invokeTool } from './invoke.ts'
import { isPromiseLike, type Maybe } from './maybe.ts'
import { payloadWith } from './payload.ts'
import type { Services } from './services.ts'

/** How long a tool has, after the caller stopped it, to say what it did: a turn settles within 100 ms of a stop. */
const stopGraceMs = 50
/** How long it has after a timeout, so that what a program printed until then is not lost. */
const timeoutGraceMs = 500

/** One attempt: timeout( `tool_execution` hooks ( invoke )). Never throws. */
export function attempt(call: Call, services: Services, timeoutMs: number): Maybe<Produced> {
  const stop = new StopSource(call.stop)
  let output: Maybe<AdapterOutput>
  try {
    call.outcome = 'unknown'
    output = services.bus.has('tool_execution')
      ? insideHooks(call, services, stop)
      : invokeTool(call, services, stop)
  } catch (error) {
    stop.release()
    return settleFailure(call, thrown(error, call, services))
  }
  if (!isPromiseLike(output)) {
    stop.release()
    return settleOutput(call, output)
  }
  return bounded(call, services, stop, output, timeoutMs).then(
    (settled) => settleOutput(call, settled),
    (error: unknown) => settleFailure(call, thrown(error, call, services)),
  )
}

/** A refusal by a hook around the execution, carried as an error to where failures are made. */
class Refused extends Error {
  readonly failure: Failure

  constructor(refusal: Failure) {
    super(refusal.message)
    this.failure = refusal
  }
}

function thrown(error: unknown, call: Call, services: Services): Failure {
  return error instanceof Refused ? error.failure : classify(error, call, services)
}

async function insideHooks(
  call: Call,
  services: Services,
  stop: StopSource,
): Promise<AdapterOutput> {
  let ran = false
  const next = async (): Promise<AdapterOutput> => {
    ran = true
    return invokeTool(call, services, stop)
  }
  const outcome = await services.bus.run('tool_execution', payloadWith(call, services, { next }), {
    subject: call.toolId,
  })
  if (outcome.trace.length > 0) call.notes.push(hookNote('tool_execution', outcome.trace))
  if (outcome.blockedBy !== undefined) {
    throw new Refused({ ...hookFailure(outcome.blockedBy), started: ran ? 'unknown' : 'no' })
  }
  if (outcome.thrown !== undefined) throw outcome.thrown.error
  return outcome.value as AdapterOutput
}

function settleOutput(call: Call, output: AdapterOutput): Produced {
  call.outcome = 'done'
  if (output.isError !== true) return { ok: true, output }
  return {
    ok: false,
    output,
    failure: failure('tool_failed', messageOf(output), { started: 'yes' }),
  }
}

function settleFailure(call: Call, failed: Failure): Produced {
  call.outcome = outcomes[failed.started]
  return { ok: false, failure: failed }
}

const outcomes = { no: 'not_started', yes: 'done', unknown: 'unknown' } as const

function messageOf({ data, content }: AdapterOutput): string {
  const text =
    content?.find((part) => part.type === 'text')?.text ?? (typeof data === 'string' ? data : '')
  const line = text.trim().split(/\r?\n/, 1)[0] ?? ''
  return line === '' ? 'The tool says that it failed.' : line.slice(0, 400)
}

/**
 * Waits for the tool at most until the timeout or the stop. It is told to stop, and has a moment to say what it
 * did; then the call settles without it.
 */
function bounded(
  call: Call,
  services: Services,
  stop: StopSource,
  output: Promise<AdapterOutput>,
  timeoutMs: number,
): Promise<AdapterOutput> {
  const { clock } = services.ports
  return new Promise((resolve, reject) => {
    let grace: unknown
    // A batch entry waits for its siblings; the batch has a timeout of its own.
    const timer = call.invoke === undefined ? clock.setTimeout(onTimeout, timeoutMs) : undefined
    const offStop = call.stop.onStop(() => giveUpSoon(stopped(), stopGraceMs))
    function finish(settle: () => void): void {
      if (timer !== undefined) clock.clearTimeout(timer)
      if (grace !== undefined) clock.clearTimeout(grace)
      offStop()
      stop.release()
      settle()
    }
    function giveUpSoon(why: Failure, ms: number): void {
      if (grace !== undefined) clock.clearTimeout(grace)
      grace = clock.setTimeout(() => finish(() => reject(new Refused(why))), ms)
    }
    function onTimeout(): void {
      stop.stop(new DOMException('The call took too long.', 'TimeoutError'))
      giveUpSoon(timedOut(call, timeoutMs), timeoutGraceMs)
    }
    output.then(
      (value) => finish(() => resolve(value)),
      (error: unknown) => {
        const late = stop.stopped && !call.stop.stopped
        // What a tool throws because it was told to stop is the timeout, unless it brings facts of its own.
        const reason = late && !isTold(error) ? new Refused(timedOut(call, timeoutMs)) : error
        finish(() => reject(reason as Error))
      },
    )
  })
}

function isTold(error: unknown): boolean {
  return (
    (error as { started?: unknown } | null)?.started !== undefined &&
    (error as { code?: unknown }).code !== 'cancelled'
  )
}

function stopped(): Failure {
  return failure('cancelled', 'The call was stopped; it may have had its effect.', {
    started: 'unknown',
  })
}

export function timedOut(call: Call, timeoutMs: number): Failure {
  const harmless = call.entry!.definition.effects?.readOnly === true
  return failure('timeout', `${call.toolId} took longer than ${timeoutMs} ms.`, {
    started: 'unknown',
    hint: harmless
      ? 'Try again with less work at once.'
      : 'It may have had its effect. Check before you send it again.',
  })
}
