import type { AdapterOutput } from '@callgate/spec'

import { failure, type Failure } from '../results/failure.ts'
import type { StopListener, StopSource } from '../turn/stop.ts'
import type { Call, Produced } from './call.ts'
import { producedByFailure, producedByOutput, producedByThrow, recorded } from './produced.ts'
import type { Services } from './services.ts'

/** How long a tool has, after the caller stopped it, to say what it did: a turn settles within 100 ms of a stop. */
const stopGraceMs = 50
/** How long it has after a timeout, so that what a program printed until then is not lost. */
const timeoutGraceMs = 500

/**
 * Waits for a tool at most until its timeout or the stop of its call. It is told to stop, and has a moment to say what
 * it did; then the call settles without it. One object and one promise for each wait: every asynchronous call has one.
 */
export class BoundedWait implements StopListener {
  readonly #call: Call
  readonly #services: Services
  /** What the tool is told to stop by. */
  readonly #stop: StopSource
  readonly #timeoutMs: number
  #resolve!: (produced: Produced) => void
  #finished = false
  #timer: unknown
  #grace: unknown

  constructor(call: Call, services: Services, stop: StopSource, timeoutMs: number) {
    this.#call = call
    this.#services = services
    this.#stop = stop
    this.#timeoutMs = timeoutMs
  }

  /** Never rejects. */
  for(output: Promise<AdapterOutput>): Promise<Produced> {
    return new Promise((resolve) => {
      this.#resolve = resolve
      const call = this.#call
      // A batch entry waits for its siblings; the batch has a timeout of its own.
      if (call.invoke === undefined) {
        const { clock } = this.#services.ports
        this.#timer = clock.setTimeout(() => this.#onTimeout(), this.#timeoutMs)
      }
      call.stop.tell(this)
      output.then(
        (value) => this.#onOutput(value),
        (error: unknown) => this.#onThrow(error),
      )
    })
  }

  onStop(): void {
    if (!this.#finished) this.#giveUpAfter(stopGraceMs, stopped())
  }

  #onTimeout(): void {
    this.#stop.stop(new DOMException('The call took too long.', 'TimeoutError'))
    this.#giveUpAfter(timeoutGraceMs, timedOut(this.#call, this.#timeoutMs))
  }

  // A tool that answers after it was given up answers nobody.
  #onOutput(output: AdapterOutput): void {
    if (!this.#finished) this.#finish(producedByOutput(output, this.#call, this.#services))
  }

  #onThrow(error: unknown): void {
    if (this.#finished) return
    const late = this.#stop.stopped && !this.#call.stop.stopped
    // What a tool throws because it was told to stop is the timeout, unless it brings facts of its own.
    this.#finish(
      late && !isTold(error)
        ? producedByFailure(this.#call, timedOut(this.#call, this.#timeoutMs))
        : producedByThrow(error, this.#call, this.#services),
    )
  }

  #giveUpAfter(ms: number, why: Failure): void {
    const { clock } = this.#services.ports
    if (this.#grace !== undefined) clock.clearTimeout(this.#grace)
    this.#grace = clock.setTimeout(() => this.#finish(producedByFailure(this.#call, why)), ms)
  }

  #finish(produced: Produced): void {
    this.#finished = true
    const { clock } = this.#services.ports
    if (this.#timer !== undefined) clock.clearTimeout(this.#timer)
    if (this.#grace !== undefined) clock.clearTimeout(this.#grace)
    this.#call.stop.forget(this)
    this.#stop.release()
    this.#resolve(recorded(produced, this.#call, this.#services))
  }
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
