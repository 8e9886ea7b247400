import type { InvokeContext, Logger, Progress } from '@callgate/spec'

import { shortened } from '../results/cut-text.ts'
import { textOfThrown } from '../results/thrown.ts'
import type { StopSource } from '../turn/stop.ts'
import type { Call } from './call.ts'
import { isPromiseLike } from './maybe.ts'
import type { Services } from './services.ts'

/**
 * What a tool gets beside its arguments. Each part is made when the tool looks at it, since most look at none; a part
 * that was taken out of the object works by itself.
 */
export class CallInvokeContext implements InvokeContext {
  readonly #call: Call
  readonly #services: Services
  readonly #stop: StopSource
  readonly sessionId?: string

  constructor(call: Call, services: Services, stop: StopSource) {
    this.#call = call
    this.#services = services
    this.#stop = stop
    if (call.context.sessionId !== undefined) this.sessionId = call.context.sessionId
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  get log(): Logger {
    return this.#services.log
  }

  get blob(): InvokeContext['blob'] {
    const { spills } = this.#services
    const { sessionId } = this.#call.context
    return (options) => spills.open(options, sessionId)
  }

  get progress(): InvokeContext['progress'] {
    const call = this.#call
    const stop = this.#stop
    const { log, redactor } = this.#services
    const failed = (error: unknown): void =>
      log.warn('onProgress failed', { error: textOfThrown(error) })
    return (progress) => {
      const { onProgress } = call.context
      // Of a call that has its result nothing is partial any more.
      if (onProgress === undefined || stop.stopped || !isRunning(call)) return
      try {
        const shown = redactor.value({ ...progress, callId: call.callId }) as Progress
        const told: unknown = onProgress(withShortNote(shown))
        if (isPromiseLike(told)) Promise.resolve(told).catch(failed)
      } catch (error) {
        failed(error)
      }
    }
  }
}

/** Characters of a note; what is longer is output, and comes as a part. */
const maxNote = 1000

function withShortNote(progress: Progress): Progress {
  const { note } = progress
  return typeof note === 'string' && note.length > maxNote
    ? { ...progress, note: shortened(note, maxNote) }
    : progress
}

/** A call that executes has not yet come to the end of that step. */
function isRunning({ trace }: Call): boolean {
  return trace.at(-1)?.step === 'validation'
}
