/** What wants to know of a stop. */
export interface StopListener {
  /** Called once, at the stop. */
  onStop(): void
}

/** Whether work should stop, and who wants to know. Cheaper than an AbortSignal, which is made only when asked for. */
export interface Stop {
  readonly stopped: boolean
  readonly reason: unknown
  /** Tells the listener of the stop; where it has come already, in a microtask. */
  tell(listener: StopListener): void
  /** Takes a listener off again. */
  forget(listener: StopListener): void
}

/** A stop that follows its parent and can be stopped by itself. Follows it only once somebody listens. */
export class StopSource implements Stop, StopListener {
  readonly #parent: Stop | undefined
  #stopped = false
  #reason: unknown
  /** Mostly one listens: it needs no set. */
  #listener: StopListener | undefined
  #listeners: Set<StopListener> | undefined
  #controller: AbortController | undefined
  #follows = false
  #released = false

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
      else if (!this.#released) this.#follow()
    }
    return this.#controller.signal
  }

  tell(listener: StopListener): void {
    if (this.stopped) {
      queueMicrotask(() => listener.onStop())
      return
    }
    this.#follow()
    if (this.#listener === undefined) this.#listener = listener
    else (this.#listeners ??= new Set()).add(listener)
  }

  forget(listener: StopListener): void {
    if (this.#listener === listener) this.#listener = undefined
    else this.#listeners?.delete(listener)
    // Observers may still make calls when the work has ended: it lets go again after the last of them.
    if (this.#released && this.#listener === undefined && !this.#listeners?.size) this.#letGo()
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
    listener?.onStop()
    for (const other of listeners) other.onStop()
  }

  /** The parent's stop is its own. */
  onStop(): void {
    this.stop(this.#parent!.reason)
  }

  /** Lets go of the parent; to be called when the work has ended. */
  release(): void {
    this.#released = true
    this.#letGo()
  }

  #letGo(): void {
    if (!this.#follows) return
    this.#follows = false
    this.#parent!.forget(this)
  }

  #follow(): void {
    if (this.#follows || this.#parent === undefined) return
    this.#follows = true
    this.#parent.tell(this)
  }
}

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
