/** Whether work should stop, and who wants to know. Cheaper than an AbortSignal, which is made only when asked for. */
export interface Stop {
  readonly stopped: boolean
  readonly reason: unknown
  /** Calls the listener once, at the stop; gives back what takes it off again. */
  onStop(listener: () => void): () => void
}

/** A stop that follows its parent and can be stopped by itself. Follows it only once somebody listens. */
export class StopSource implements Stop {
  readonly #parent: Stop | undefined
  #stopped = false
  #reason: unknown
  /** Mostly one listens: it needs no set. */
  #listener: (() => void) | undefined
  #listeners: Set<() => void> | undefined
  #controller: AbortController | undefined
  #off: (() => void) | undefined

  constructor(parent?: Stop) {
    this.#parent = parent
  }

  get stopped(): boolean {
    return this.#stopped || this.#parent?.stopped === true
  }

  get reason(): unknown {
    return this.#stopped ? this.#reason : this.#parent?.reason
  }

  /** For whoever needs the platform's form; made at the first use. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.stopped) this.#controller.abort(this.reason)
      else this.#follow()
    }
    return this.#controller.signal
  }

  onStop(listener: () => void): () => void {
    if (this.stopped) {
      // Later, so that the caller has what takes the listener off again.
      queueMicrotask(listener)
      return nothing
    }
    this.#follow()
    if (this.#listener === undefined) {
      this.#listener = listener
      return () => {
        if (this.#listener === listener) this.#listener = undefined
      }
    }
    this.#listeners ??= new Set()
    this.#listeners.add(listener)
    return () => this.#listeners?.delete(listener)
  }

  stop(reason: unknown): void {
    if (this.#stopped) return
    this.#stopped = true
    this.#reason = reason
    this.#controller?.abort(reason)
    const listener = this.#listener
    const listeners = [...(this.#listeners ?? [])]
    this.#listener = undefined
    this.#listeners = undefined
    listener?.()
    for (const other of listeners) other()
  }

  /** Lets go of the parent; to be called when the work has ended. */
  release(): void {
    this.#off?.()
    this.#off = undefined
  }

  #follow(): void {
    if (this.#off !== undefined || this.#parent === undefined) return
    this.#off = this.#parent.onStop(() => this.stop(this.#parent!.reason))
  }
}

const nothing = (): void => {}

/** A stop that follows its parent and an AbortSignal of the caller. */
export function stopOf(signal: AbortSignal | undefined, parent: Stop): StopSource {
  if (signal === undefined) return new StopSource(parent)
  return new SignalledStop(signal, parent)
}

class SignalledStop extends StopSource {
  readonly #signal: AbortSignal
  readonly #listener: () => void

  constructor(signal: AbortSignal, parent: Stop) {
    super(parent)
    this.#signal = signal
    this.#listener = () => this.stop(signal.reason)
    if (signal.aborted) this.stop(signal.reason)
    else signal.addEventListener('abort', this.#listener, { once: true })
  }

  override release(): void {
    this.#signal.removeEventListener('abort', this.#listener)
    super.release()
  }
}
