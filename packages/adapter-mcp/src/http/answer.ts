import type { Dispatcher } from 'undici'

import { FaultError } from '../channel/fault.ts'

/** What a reader of a body does with it. Exactly one of `end` and `fail` is called, as the last of all. */
interface BodySink {
  chunk(chunk: Buffer): void
  end(): void
  fail(error: Error): void
}

const nobody: BodySink = { chunk: () => undefined, end: () => undefined, fail: () => undefined }

/** From this size on each step of reading a body has a turn of the event loop of its own. */
export const largeBytes: number = 4 * 1024 * 1024

/** What comes before anybody reads is kept up to this size; beyond it the peer has to wait. */
const keptBytes = 256 * 1024

/**
 * An answer whose body is read as it comes, or thrown away. It takes the events of undici itself: a stream in between
 * costs as much as the rest of a small call.
 */
export class Answer implements Dispatcher.DispatchHandler {
  #status = 0
  #headers: Readonly<Record<string, string | readonly string[] | undefined>> = {}
  #controller: Dispatcher.DispatchController | undefined
  #sink: BodySink | undefined
  #kept: Buffer[] = []
  #keptSize = 0
  #ended = false
  #error: Error | undefined
  #stopped: Error | undefined
  readonly #origin: string
  readonly #settle: (result: Answer | FaultError) => void
  readonly #over: () => void

  /**
   * `settle` gets the answer when its head is there, or why there is none: `unsent` or `lost`. `over` is called when
   * the exchange has ended.
   */
  constructor(origin: string, settle: (result: Answer | FaultError) => void, over: () => void) {
    this.#origin = origin
    this.#settle = settle
    this.#over = over
  }

  get status(): number {
    return this.#status
  }

  /** The value of a header by its name in lower case; several are joined as one. */
  header(name: string): string | undefined {
    const value = this.#headers[name]
    return typeof value === 'object' ? value.join(', ') : value
  }

  /** Reads the body whole. @throws FaultError `too-large` above the limit in bytes, `lost` when it breaks off. */
  text(limit: number): Promise<string> {
    const chunks: Buffer[] = []
    let size = 0
    return new Promise((resolve, reject) => {
      this.#read({
        chunk: (chunk) => {
          size += chunk.length
          chunks.push(chunk)
          if (size > limit) {
            throw new FaultError({ kind: 'too-large', bytes: size, limit }, 'the body is too large')
          }
        },
        end: () => {
          const whole = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)
          if (size < largeBytes) resolve(whole.toString('utf8'))
          // What is large takes its turns of the event loop one by one.
          else setImmediate(() => resolve(whole.toString('utf8')))
        },
        fail: reject,
      })
    })
  }

  /**
   * Hands on the body as it comes, until its end, or until `chunk` gives back false.
   *
   * @throws what `chunk` throws, or FaultError `lost` when it breaks off.
   */
  each(chunk: (chunk: Buffer) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#read({
        chunk: (part) => {
          if (!chunk(part)) this.#finish(resolve)
        },
        end: resolve,
        fail: reject,
      })
    })
  }

  /** Nobody will read it: what comes is dropped, so that its connection can be used again. */
  discard(): void {
    this.#read(nobody)
  }

  /** Ends the exchange wherever it stands. */
  stop(reason: Error): void {
    this.#stopped ??= reason
    if (this.#controller === undefined) this.#settle(this.#fault(reason))
    else this.#controller.abort(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // Given up while it waited for a connection: nothing is written.
    if (this.#stopped !== undefined) controller.abort(this.#stopped)
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // Informational answers come before the one that counts.
    if (status < 200) return
    this.#status = status
    this.#headers = headers
    this.#settle(this)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#sink === undefined) {
      this.#kept.push(chunk)
      this.#keptSize += chunk.length
      if (this.#keptSize > keptBytes) controller.pause()
    } else {
      this.#give(chunk)
    }
  }

  onResponseEnd(): void {
    this.#ended = true
    this.#over()
    this.#sink?.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    const fault = this.#fault(cause)
    this.#error = fault
    this.#over()
    if (this.#status === 0) this.#settle(fault)
    this.#sink?.fail(fault)
  }

  #read(sink: BodySink): void {
    this.#sink = sink
    const kept = this.#kept
    this.#kept = []
    for (const chunk of kept) this.#give(chunk)
    if (this.#error !== undefined) sink.fail(this.#error)
    else if (this.#ended) sink.end()
    else if (this.#keptSize > keptBytes) this.#controller?.resume()
  }

  #give(chunk: Buffer): void {
    const sink = this.#sink
    try {
      sink?.chunk(chunk)
    } catch (error) {
      this.#finish(() => sink?.fail(error as Error))
    }
  }

  /** The reader has enough: the rest is not wanted, nor is its connection. */
  #finish(done: () => void): void {
    this.#sink = nobody
    this.stop(new Error('the rest is not wanted'))
    done()
  }

  /** Before the request was written nothing can have begun; later nobody knows. */
  #fault(cause: Error): FaultError {
    if (this.#status !== 0) {
      return new FaultError({ kind: 'lost', reason: 'the answer broke off', cause }, 'broke off')
    }
    const reason = `${this.#origin}: ${textOf(cause)}`
    const kind = this.#controller === undefined ? 'unsent' : 'lost'
    return new FaultError({ kind, reason, cause }, reason)
  }
}

/** Of several addresses that were tried, the first says why. */
function textOf(cause: Error): string {
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : undefined
  if (first instanceof Error) return textOf(first)
  return cause.message || (cause as NodeJS.ErrnoException).code || 'failed'
}
