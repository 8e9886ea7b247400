import { ToolError, type AdapterOutput } from '@callgate/spec'

import { failure, type Failure } from '../results/failure.ts'
import type { StopListener, StopSource } from '../turn/stop.ts'
import type { Call, Produced } from './call.ts'
import type { Settle } from './execution.ts'
import { humanMs } from './human-wait.ts'
import { bodyOf } from './invoke.ts'
import type { Maybe } from './maybe.ts'
import { producedByFailure, producedByOutput, producedByThrow, recorded } from './produced.ts'
import type { Services } from './services.ts'

/** How long a tool has, after the caller stopped it, to say what it did: a turn settles within 100 ms of a stop. */
const stopGraceMs = 50
/** How long it has after a timeout, so that what a program printed until then is not lost. */
const timeoutGraceMs = 500
/** How often it is looked whether a human has answered. */
const lookAgainMs = 100

const done = Promise.resolve()

/** What is waited for, and what becomes of it. */
export interface Waited {
  readonly call: Call
  readonly services: Services
  /** What the tool is told to stop by. */
  readonly stop: StopSource
  readonly timeoutMs: number
  /** Makes an output of what the tool gave. */
  readonly read: (value: unknown, call: Call) => AdapterOutput
  /** What is to be done with what came of it, before anybody who waits goes on. */
  readonly settle: Settle
}

/**
 * Waits for a tool at most until its timeout or the stop of its call. It is told to stop, and has a moment to say what
 * it did; then the call settles without it. One object and one promise for each wait: every asynchronous call has one.
 */
export class BoundedWait implements StopListener {
  readonly #waited: Waited
  #resolve!: (produced: Maybe<Produced>) => void
  #reject!: (error: Error) => void
  #finished = false
  #timer: unknown
  /** Milliseconds of humans that are no time of the tool: those before it, and those it was given since. */
  #humanMs = 0
  #grace: unknown

  constructor(waited: Waited) {
    this.#waited = waited
  }

  /** Rejects only with what `settle` throws. */
  for(value: PromiseLike<unknown>): Promise<Produced> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      const { call } = this.#waited
      this.#humanMs = call.waitedMs
      call.stop.tell(this)
      this.#follow(value)
      // A batch entry waits for its siblings; the batch has a timeout of its own.
      if (call.invoke === undefined) void done.then(() => this.#startTimer())
    })
  }

  // A promise that was settled already has answered by now, and needs no timer.
  #startTimer(): void {
    if (this.#finished) return
    const { services, timeoutMs } = this.#waited
    this.#timer = services.ports.clock.setTimeout(() => this.#onTimeout(), timeoutMs)
  }

  #follow(value: PromiseLike<unknown>): void {
    // A tool may return any thenable.
    Promise.resolve(value).then(
      (given) => this.#onValue(given),
      (error: unknown) => this.#onThrow(error),
    )
  }

  onStop(): void {
    if (this.#finished) return
    // Or it would come in the time that the stop leaves, and leave more.
    if (this.#timer !== undefined) this.#waited.services.ports.clock.clearTimeout(this.#timer)
    this.#giveUpAfter(stopGraceMs, stopped())
  }

  #onTimeout(): void {
    const { call, services, stop, timeoutMs } = this.#waited
    const { clock } = services.ports
    const more = humanMs(call, clock) - this.#humanMs
    if (more > 0) {
      // A human was asked for a call inside this one. Where one still is, it is looked at again now and then.
      const ms = call.asking > 0 ? Math.max(more, lookAgainMs) : more
      this.#humanMs += ms
      this.#timer = clock.setTimeout(() => this.#onTimeout(), ms)
      return
    }
    stop.stop(new DOMException('The call took too long.', 'TimeoutError'))
    this.#giveUpAfter(timeoutGraceMs, timedOut(call, timeoutMs))
  }

  // A tool that answers after it was given up answers nobody.
  #onValue(value: unknown): void {
    if (this.#finished) return
    const { call, services, read } = this.#waited
    try {
      const body = bodyOf(value, this.#waited)
      if (body === undefined) this.#finish(producedByOutput(read(value, call), call, services))
      else this.#follow(body)
    } catch (error) {
      // Only an object at which nobody can look throws here.
      this.#onThrow(error)
    }
  }

  #onThrow(error: unknown): void {
    if (this.#finished) return
    const { call, services, stop, timeoutMs } = this.#waited
    const late = stop.stopped && !call.stop.stopped
    // What a tool throws because it was told to stop is the timeout, unless it brings facts of its own.
    this.#finish(
      late && !isTold(error)
        ? producedByFailure(call, timedOut(call, timeoutMs))
        : producedByThrow(error, call, services),
    )
  }

  #giveUpAfter(ms: number, why: Failure): void {
    const { call, services } = this.#waited
    const { clock } = services.ports
    if (this.#grace !== undefined) clock.clearTimeout(this.#grace)
    this.#grace = clock.setTimeout(() => this.#finish(producedByFailure(call, why)), ms)
  }

  #finish(produced: Produced): void {
    this.#finished = true
    const { call, services, stop, settle, timeoutMs } = this.#waited
    const { clock } = services.ports
    if (this.#timer !== undefined) clock.clearTimeout(this.#timer)
    if (this.#grace !== undefined) clock.clearTimeout(this.#grace)
    call.stop.forget(this)
    // The caller would not wait, though the tool had time left: that says nothing of the backend.
    const isCut = stop.stopped && (call.stop.stopped || timeoutMs < ownTimeout(call, services))
    stop.release()
    try {
      this.#resolve(settle(call, services, recorded(produced, call, services, isCut)))
    } catch (error) {
      this.#reject(error as Error)
    }
  }
}

/** What the tool may take, whatever its caller waits for. */
export function ownTimeout({ entry }: Call, { settings }: Services): number {
  return entry!.definition.timeoutMs ?? settings.timeoutMs
}

function isTold(error: unknown): boolean {
  return ToolError.isInstance(error) && error.code !== 'cancelled'
}

function stopped(): Failure {
  return failure('cancelled', 'The call was stopped; it may have had its effect.', {
    started: 'unknown',
  })
}

function timedOut(call: Call, timeoutMs: number): Failure {
  const harmless = call.entry!.definition.effects?.readOnly === true
  return failure('timeout', `${call.toolId} took longer than ${timeoutMs} ms.`, {
    started: 'unknown',
    hint: harmless
      ? 'Try again with less work at once.'
      : 'It may have had its effect. Check before you send it again.',
  })
}
