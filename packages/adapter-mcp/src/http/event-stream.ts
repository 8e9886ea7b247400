import { FaultError } from '../channel/fault.ts'

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
}

/**
 * Reads `text/event-stream` incrementally (WHATWG HTML, section 9.2). Bytes are decoded a line at a time, so a cut
 * inside a character does no harm and a long line costs O(n). An event above `limit` bytes ends the reading.
 */
export function createEventReader(limit: number, sink: StreamSink): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  let size = 0
  let id: string | undefined
  let event = ''
  let data: string[] = []
  let first = true

  function grow(bytes: number): void {
    size += bytes
    if (size > limit) {
      throw new FaultError({ kind: 'too-large', bytes: size, limit }, 'the event is too large')
    }
  }

  function dispatch(): void {
    if (data.length > 0 || id !== undefined) sink.event({ id, event, data: data.join('\n') })
    id = undefined
    event = ''
    data = []
    size = 0
  }

  function field(line: string): void {
    const colon = line.indexOf(':')
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (name === 'data') data.push(value)
    else if (name === 'event') event = value
    else if (name === 'id' && !value.includes('\0')) id = value
    else if (name === 'retry' && /^\d+$/.test(value)) sink.retry(Number(value))
  }

  function endLine(): void {
    let line = (
      parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
    ).toString('utf8')
    parts = []
    if (first && line.startsWith('\uFEFF')) line = line.slice(1)
    first = false
    if (line.endsWith('\r')) line = line.slice(0, -1)
    // Lone CR as a line end is in the standard and in no server.
    if (line === '') dispatch()
    else if (!line.startsWith(':')) field(line)
  }

  return (chunk) => {
    let from = 0
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, from)) {
      grow(at - from)
      parts.push(chunk.subarray(from, at))
      endLine()
      from = at + 1
    }
    if (from < chunk.length) {
      grow(chunk.length - from)
      parts.push(chunk.subarray(from))
    }
  }
}
