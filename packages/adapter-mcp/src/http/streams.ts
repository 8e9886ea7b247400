import { type Fault, faultOf, unanswered } from '../channel/fault.ts'
import { isRecord, type JsonRecord } from '../record.ts'
import { messageOf } from '../text/message-of.ts'
import type { Answer } from './answer.ts'
import { createEventReader, type StreamEvent } from './event-stream.ts'
import { answers, asAnswer } from './status.ts'

export interface StreamsParts {
  /** Largest event, in bytes. */
  readonly limit: number
  /** The value of a JSON text as it may be shown. @throws SyntaxError */
  parse(json: string): unknown
  /** `bytes`: about the size of the message. */
  deliver(message: JsonRecord, bytes: number): void
  open(lastEventId: string | undefined, signal: AbortSignal): Promise<Answer>
  debug(message: string, fields: object): void
}

const shortestDelayMs = 50
const firstDelayMs = 1000
const lastDelayMs = 30_000
/** A stream for what the server says by itself is asked for so often in a row. */
const maxFailures = 6
/** In all some 15 seconds, as long as a server takes to start anew: not as long as a call may be silent. */
const maxDrops = 4
const noReply = { kind: 'lost', reason: `the reply ${unanswered}` } as const

/** What is known of a stream over all its parts. */
interface Progress {
  /** Of the request whose reply it is. */
  readonly id: unknown
  lastEventId: string | undefined
  retryMs: number | undefined
  answered: boolean
  /** Why no reply can come any more: an event that may have been it was garbled or too large. */
  spoilt: Fault | undefined
  /** Why it could not be gone on with, the last time. */
  refused: string | undefined
  events: number
}

/** The event streams of a connection. */
export class Streams {
  readonly #parts: StreamsParts

  constructor(parts: StreamsParts) {
    this.#parts = parts
  }

  /** Reads the reply to the request with an id, which may be `resumable` where it broke off; `ended` is called when it ended, for good, without the reply. */
  async read(
    answer: Answer,
    signal: AbortSignal,
    { id, resumable }: { readonly id: unknown; readonly resumable: boolean },
    ended: (fault: Fault) => void,
  ): Promise<void> {
    const progress = fresh(id)
    await this.#consume(answer, progress)
    if (resumable && progress.lastEventId !== undefined) await this.#resume(progress, signal)
    if (!progress.answered && !signal.aborted) ended(progress.spoilt ?? lostReply(progress))
  }

  /**
   * Keeps a stream open for what the server says by itself, where it offers one. One that never gave a stream is asked
   * a few times; one that did is asked as long as the connection lives.
   */
  async listen(signal: AbortSignal): Promise<void> {
    const progress = fresh()
    let offered = false
    let failures = 0
    // Streams in a row that ended without a word: a server that gives such is asked ever more rarely.
    let quiet = 0
    while (!signal.aborted && (offered || failures < maxFailures)) {
      // oxlint-disable-next-line no-await-in-loop -- one stream after the other
      const answer = await this.#parts.open(progress.lastEventId, signal).catch(() => undefined)
      if (answer !== undefined && isRefusal(answer)) {
        answer.discard()
        this.#parts.debug('mcp: no stream from the server', { status: answer.status })
        return
      }
      failures += 1
      if (answer !== undefined && isStream(answer)) {
        offered = true
        failures = 0
        const before = progress.events
        // oxlint-disable-next-line no-await-in-loop -- as above
        await this.#consume(answer, progress)
        progress.spoilt = undefined
        quiet = progress.events > before ? 0 : quiet + 1
      } else {
        answer?.discard()
      }
      // oxlint-disable-next-line no-await-in-loop -- as above
      await pause(delayOf(progress.retryMs, failures, quiet), signal)
    }
  }

  /** Reconnects with the latest id until the reply is there, the server refuses, or it drops too often in a row. */
  async #resume(progress: Progress, signal: AbortSignal): Promise<void> {
    let drops = 0
    while (!progress.answered && progress.spoilt === undefined && drops < maxDrops) {
      const failures = progress.refused === undefined ? 0 : drops
      // oxlint-disable-next-line no-await-in-loop -- each attempt follows from the one before
      await pause(delayOf(progress.retryMs, failures, drops - failures), signal)
      if (signal.aborted) return
      const before = progress.events
      // oxlint-disable-next-line no-await-in-loop -- as above
      const refused = await this.#goOn(progress, signal)
      if (refused) return
      drops = progress.events > before ? 0 : drops + 1
    }
  }

  /** One more part of a stream; whether the server will not give one. */
  async #goOn(progress: Progress, signal: AbortSignal): Promise<boolean> {
    const { lastEventId } = progress
    const answer = await this.#parts.open(lastEventId, signal).catch((error: unknown) => {
      progress.refused = messageOf(error)
    })
    if (answer === undefined) return false
    if (isStream(answer)) {
      progress.refused = undefined
      await this.#consume(answer, progress)
      return false
    }
    answer.discard()
    progress.refused = `status ${String(answer.status)}`
    return isRefusal(answer)
  }

  async #consume(answer: Answer, progress: Progress): Promise<void> {
    const feed = createEventReader(this.#parts.limit, {
      retry: (ms) => {
        progress.retryMs = Math.min(Math.max(ms, shortestDelayMs), lastDelayMs)
      },
      event: (event) => this.#event(event, progress),
    })
    try {
      await answer.each((chunk) => {
        feed(chunk)
        return progress.spoilt === undefined
      })
    } catch (error) {
      const fault = faultOf(error, { kind: 'lost', reason: String(error) })
      if (fault.kind === 'too-large') progress.spoilt = fault
      this.#parts.debug('mcp: a stream broke off', { fault: fault.kind })
    }
  }

  #event({ id, event, data }: StreamEvent, progress: Progress): void {
    progress.events += 1
    if (id !== undefined && id !== '') progress.lastEventId = id
    // The older transport names its endpoint so, in answer to anything: no reply will follow.
    if (event === 'endpoint') progress.spoilt = noReply
    if (data === '' || (event !== '' && event !== 'message')) return
    const parsed = this.#parse(data)
    if (parsed === undefined) {
      progress.spoilt = { kind: 'lost', reason: 'the reply is not JSON' }
      return
    }
    const message = asAnswer(parsed, progress.id)
    progress.answered ||= answers(message, progress.id)
    this.#parts.deliver(message, data.length)
  }

  #parse(data: string): JsonRecord | undefined {
    try {
      const value = this.#parts.parse(data)
      return isRecord(value) ? value : undefined
    } catch {
      return undefined
    }
  }
}

function fresh(id?: unknown): Progress {
  return {
    id,
    lastEventId: undefined,
    retryMs: undefined,
    answered: false,
    spoilt: undefined,
    refused: undefined,
    events: 0,
  }
}

function lostReply({ refused }: Progress): Fault {
  return refused === undefined ? noReply : { ...noReply, reason: `${noReply.reason} (${refused})` }
}

function isStream(answer: Answer): boolean {
  const type = answer.header('content-type') ?? ''
  return answer.status < 300 && type.toLowerCase().startsWith('text/event-stream')
}

/** Not one to come again later. */
function isRefusal(answer: Answer): boolean {
  return !isStream(answer) && answer.status < 500 && answer.status !== 429
}

/** The wish of a server is about streams that end: one that is down is asked ever more rarely whatever it was. */
function delayOf(wished: number | undefined, failures: number, quiet: number): number {
  const backoff = Math.min(lastDelayMs, firstDelayMs * 2 ** (failures + quiet))
  return failures === 0 ? (wished ?? backoff) : Math.max(wished ?? 0, backoff)
}

/** Ends early, without an error, when the signal fires. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, signal.aborted ? 0 : ms)
    // Whoever waits for a reply has a time limit that keeps the process.
    timer.unref()
    signal.addEventListener('abort', finish, { once: true })
  })
}
