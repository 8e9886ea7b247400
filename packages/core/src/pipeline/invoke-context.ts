import type { InvokeContext, Logger } from '@callgate/spec'

import type { StopSource } from '../turn/stop.ts'
import type { Call } from './call.ts'
import { tellProgress } from './progress.ts'
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
    const services = this.#services
    const stop = this.#stop
    return (progress) => {
      if (!stop.stopped) tellProgress(call, services, progress)
    }
  }
}
