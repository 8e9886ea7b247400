/** Whether work should stop, and who wants to know. Cheaper than an AbortSignal, which is made only when asked for. */
export interface Stop {
  readonly stopped: boolean
  readonly reason: unknown
  /** Calls the listener once, at the stop; gives back what takes it off again. */
  onStop(listener: () => void): () => void
}

export interface StopSource extends Stop {
  /** For whoever needs the platform's form; made at the first use. */
  readonly signal: AbortSignal
  stop(reason: unknown): void
  /** Lets go of the parent; to be called when the work has ended. */
  release(): void
}

const none: Stop = { stopped: false, reason: undefined, onStop: () => () => {} }

/** A stop that follows its parent and can be stopped by itself. */
export function createStop(parent: Stop = none): StopSource {
  const listeners = new Set<() => void>()
  let stopped = parent.stopped
  let reason = parent.reason
  let controller: AbortController | undefined
  const stop = (why: unknown): void => {
    if (stopped) return
    stopped = true
    reason = why
    controller?.abort(why)
    for (const listener of [...listeners]) listener()
    listeners.clear()
  }
  const release = parent.stopped ? () => {} : parent.onStop(() => stop(parent.reason))
  return {
    get stopped() {
      return stopped
    },
    get reason() {
      return reason
    },
    get signal() {
      if (controller === undefined) {
        controller = new AbortController()
        if (stopped) controller.abort(reason)
      }
      return controller.signal
    },
    onStop(listener) {
      if (stopped) {
        // Later, so that the caller has what takes the listener off again.
        queueMicrotask(listener)
        return () => {}
      }
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    stop,
    release,
  }
}

/** A stop that follows its parent and an AbortSignal of the caller. */
export function stopOf(signal: AbortSignal | undefined, parent: Stop): StopSource {
  const source = createStop(parent)
  if (signal === undefined) return source
  if (signal.aborted) {
    source.stop(signal.reason)
    return source
  }
  const listener = (): void => source.stop(signal.reason)
  signal.addEventListener('abort', listener, { once: true })
  // Inherits the getters, which a spread would freeze at their present value.
  return Object.assign(Object.create(source) as StopSource, {
    release() {
      signal.removeEventListener('abort', listener)
      source.release()
    },
  })
}
