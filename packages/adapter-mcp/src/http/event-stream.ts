import { type Cut, createCut, endlessBytes } from '../channel/cut.ts'
import { FaultError } from '../channel/fault.ts'
import { eachLine } from '../channel/lines.ts'

/** One event of an SSE stream, with the fields that MCP uses. */
export interface StreamEvent {
  readonly id: string | undefined
  readonly event: string
  readonly data: string
}

export interface StreamSink {
  event(event: StreamEvent): void
  /** Milliseconds to wait before a reconnection. */
  retry(ms: number): void
  /** An event above the limit was skipped; `id` is that of its message. Where nobody is told, such an event ends the reading. */
  skipped?(id: string | number | undefined, bytes: number): void
}

/**
 * Reads `text/event-stream` incrementally (WHATWG HTML, section 9.2). Bytes are decoded a line at a time, so a cut
 * inside a character does no harm and a long line costs O(n). An event above `limit` bytes is skipped, or ends the reading.
 */
export function createEventReader(limit: number, sink: StreamSink): (chunk: Buffer) => void {
  const most = sink.skipped === undefined ? limit : limit + endlessBytes
  let parts: Buffer[] = []
  /** Whether the line has nothing in it so far: then it ends the event. */
  let blank = true
  let size = 0
  let id: string | undefined
  let event = ''
  let data: string[] = []
  /** Of an event that is skipped, for it is above the limit. */
  let cut: Cut | undefined
  let first = true

  function keep(part: Buffer): void {
    size += part.length
    if (size > most) {
      throw new FaultError({ kind: 'too-large', bytes: size, limit }, 'the event is too large')
    }
    blank &&= part.length === 0 || (part.length === 1 && part[0] === 0x0d)
    if (cut !== undefined) cut.add(part)
    else {
      parts.push(part)
      if (size > limit) skip()
    }
  }

  function skip(): void {
    cut = createCut([...data, textOf(parts)].join('\n'))
    parts = []
    data = []
  }

  function dispatch(): void {
    if (cut !== undefined) sink.skipped?.(cut.id(), size)
    else if (data.length > 0 || id !== undefined) sink.event({ id, event, data: data.join('\n') })
    id = undefined
    event = ''
    data = []
    size = 0
    cut = undefined
  }

  function field(line: string): void {
    const [name, value] = fieldOf(line)
    if (name === 'data') data.push(value)
    else if (name === 'event') event = value
    else if (name === 'id' && !value.includes('\0')) id = value
    else if (name === 'retry' && /^\d+$/.test(value)) sink.retry(Number(value))
  }

  function endLine(): void {
    let line = textOf(parts)
    const isLast = blank
    parts = []
    blank = true
    if (first && line.startsWith('\uFEFF')) line = line.slice(1)
    first = false
    if (line.endsWith('\r')) line = line.slice(0, -1)
    // Lone CR as a line end is in the standard and in no server.
    if (isLast) dispatch()
    else if (cut === undefined && !line.startsWith(':')) field(line)
  }

  return (chunk) => eachLine(chunk, keep, endLine)
}

/** Name and value. */
function fieldOf(line: string): readonly [string, string] {
  const colon = line.indexOf(':')
  if (colon === -1) return [line, '']
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)]
}

function textOf(parts: readonly Buffer[]): string {
  const [only] = parts
  return (parts.length === 1 && only !== undefined ? only : Buffer.concat(parts)).toString('utf8')
}
