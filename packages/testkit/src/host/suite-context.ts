import type { InvokeContext, Logger } from '@callgate/spec'

import { silentLog } from './adapter-host.ts'

type Parts = Pick<InvokeContext, 'signal' | 'progress' | 'blob'>

/**
 * What a tool gets beside its arguments, in the form in which the core gives it: parts that nobody can replace, that
 * work when they are taken out, and that a copy by `{ ...context }` has not.
 */
export class SuiteContext implements InvokeContext {
  readonly #parts: Parts
  readonly sessionId: string = 'suite'

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get signal(): AbortSignal {
    return this.#parts.signal
  }

  get log(): Logger {
    return silentLog
  }

  get progress(): InvokeContext['progress'] {
    return this.#parts.progress
  }

  get blob(): InvokeContext['blob'] {
    return this.#parts.blob
  }
}
