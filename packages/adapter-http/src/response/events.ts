import type { Readable } from 'node:stream'

import type { InvokeContext } from '@callgate/spec'

import type { HttpLimits } from '../exchange/limits.ts'
import { chunksOf } from './chunks.ts'
import { parseJson } from './parse-json.ts'

/** One event of a stream; `data` is parsed where it is JSON. */
interface StreamEvent {
  readonly event?: string
  readonly id?: string
  readonly data: unknown
}

/** The events got, and whether the stream went on beyond the limit. */
interface EventsRead {
  readonly events: readonly StreamEvent[]
  readonly cut: boolean
}

/**
 * Reads text/event-stream (WHATWG HTML, section 9.2) or lines of JSON, and passes each event on as it comes.
 *
 * Ends at the end of the stream, after `events` events or `inlineBytes` bytes; a stream that goes on, or stays open, is
 * cut there. `show` takes out of a line what may not be shown.
 */
export async function readEvents(
  stream: Readable,
  kind: 'sse' | 'lines',
  limits: Required<HttpLimits>,
  context: Pick<InvokeContext, 'progress'>,
  show: (line: string) => string,
): Promise<EventsRead> {
  const decoder = new TextDecoder()
  const take =
    kind === 'sse'
      ? sseReader()
      : (line: string): StreamEvent | undefined =>
          line.trim() === '' ? undefined : { data: parsed(line) }
  const events: StreamEvent[] = []
  let rest = ''
  /** Whether the rest ends with a CR that the next piece may go on with LF. */
  let isAtReturn = false
  let size = 0
  const isFull = (): boolean => events.length >= limits.events
  /** Whether there was no room for an event. */
  const push = (line: string): boolean => {
    const event = take(show(line))
    if (event === undefined) return false
    if (isFull()) return true
    events.push(event)
    context.progress({ partial: { type: 'text', text: textOf(event.data) } })
    return false
  }
  for await (const chunk of chunksOf(stream, isFull)) {
    if (chunk === undefined) return { events, cut: true }
    size += chunk.length
    const text = decoder.decode(chunk, { stream: true })
    // A long line may come in many pieces: it is looked through once, when its end is there.
    const isWithin: boolean = !isAtReturn && !/[\r\n]/.test(text)
    const lines = isWithin ? [rest + text] : (rest + text).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    isAtReturn = !isWithin && rest.endsWith('\r')
    if (lines.some((line) => push(line)) || size > limits.inlineBytes) return { events, cut: true }
  }
  // A stream may end without the blank line; lines of JSON often do.
  const last = [(rest + decoder.decode()).replace(/\r$/, ''), '']
  return { events, cut: last.some((line) => push(line)) }
}

/** Gathers the fields of an event until the blank line. */
function sseReader(): (line: string) => StreamEvent | undefined {
  let data: string[] = []
  let event = ''
  let id: string | undefined
  return (line) => {
    if (line === '') {
      const lines = data
      const type = event
      // An event without data is none, and neither is its type that of the next one.
      data = []
      event = ''
      if (lines.length === 0) return undefined
      return {
        ...(type === '' ? {} : { event: type }),
        ...(id === undefined ? {} : { id }),
        data: parsed(lines.join('\n')),
      }
    }
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    if (field === 'data') data.push(value)
    else if (field === 'event') event = value
    else if (field === 'id' && !value.includes('\0')) id = value
    return undefined
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

function textOf(data: unknown): string {
  return typeof data === 'string' ? data : JSON.stringify(data)
}
