import type { Stats } from 'node:fs'

import { chunksFrom, readAt } from './bytes.ts'
import type { Encoding } from './encoding.ts'
import type { LineIndex, LineStart } from './line-index.ts'
import { endOfLine, wholeCharacters } from './newlines.ts'

/** A part of a file as bytes of whole characters. */
export interface Page {
  readonly bytes: Buffer
  /** Where the page begins in the file. */
  readonly offset: number
  /** Where the next page begins; the size of the file where this is the last. */
  readonly nextOffset: number
  readonly isLast: boolean
}

/** A page of lines. */
export interface LinePage extends Page {
  /** Number of the first line, from 1. */
  readonly line: number
  readonly lines: number
  /** Lines of which the beginning alone is in the page, and where the rest begins. */
  readonly cut: readonly { readonly line: number; readonly offset: number }[]
}

export interface OpenFile {
  readonly fd: number
  readonly stat: Stats
  readonly encoding: Encoding
  readonly signal: AbortSignal
}

/** A page by bytes; the first and last character are whole. */
export async function pageOfBytes(
  { fd, stat, encoding }: OpenFile,
  offset: number,
  maxBytes: number,
): Promise<Page> {
  // Four bytes more show whether the last character is whole.
  const aligned = Math.max(offset - (offset % encoding.unit), encoding.markBytes)
  const read = await readAt(fd, aligned, maxBytes + 4)
  const start = startOfCharacter(read, encoding)
  const rest = read.subarray(start)
  const bytes = rest.subarray(0, wholeCharacters(rest, maxBytes, encoding))
  const nextOffset = aligned + start + bytes.length
  return { bytes, offset: aligned + start, nextOffset, isLast: nextOffset >= stat.size }
}

function startOfCharacter(bytes: Buffer, { name }: Encoding): number {
  if (name !== 'utf-8') return 0
  let start = 0
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1
  return start
}

/** Where a line begins; undefined with the number of lines where the file has fewer. */
export async function findLine(
  file: OpenFile,
  line: number,
  index: LineIndex,
): Promise<LineStart | { readonly totalLines: number }> {
  const { fd, stat, encoding, signal } = file
  const known = index.before(stat, line) ?? { line: 1, offset: encoding.markBytes }
  let current = known.line
  let start = known.offset
  let position = known.offset
  if (current === line) return { line, offset: start }
  for await (const chunk of chunksFrom(fd, position, signal)) {
    for (
      let end = endOfLine(chunk, 0, encoding);
      end !== -1;
      end = endOfLine(chunk, end, encoding)
    ) {
      current += 1
      start = position + end
      if (current === line) return found(index, stat, { line, offset: start })
    }
    position += chunk.length
    index.add(stat, { line: current, offset: start })
  }
  return { totalLines: start < position ? current : current - 1 }
}

function found(index: LineIndex, stat: Stats, start: LineStart): LineStart {
  index.add(stat, start)
  return start
}

export interface PageBounds {
  readonly lines: number
  readonly pageBytes: number
  readonly lineBytes: number
}

/** A page of whole lines from a line on; lines that are too long are cut. */
export async function pageOfLines(
  file: OpenFile,
  from: LineStart,
  bounds: PageBounds,
  index: LineIndex,
): Promise<LinePage> {
  const collected: Buffer[] = []
  const cut: { line: number; offset: number }[] = []
  let bytes = 0
  let { line, offset } = from
  let isLast = true
  for await (const { text, length, isWhole } of linesFrom(file, from.offset, bounds.lineBytes)) {
    if (line - from.line === bounds.lines || bytes + text.length > bounds.pageBytes) {
      isLast = false
      break
    }
    if (!isWhole) cut.push({ line, offset: offset + text.length })
    collected.push(text)
    bytes += text.length
    line += 1
    offset += length
  }
  index.add(file.stat, { line, offset })
  return {
    bytes: Buffer.concat(collected),
    offset: from.offset,
    nextOffset: offset,
    isLast,
    line: from.line,
    lines: line - from.line,
    cut,
  }
}

interface Line {
  /** The beginning of the line, at most as long as asked for; a line that is whole has its line end. */
  readonly text: Buffer
  /** Bytes of the whole line in the file. */
  readonly length: number
  readonly isWhole: boolean
}

/** The lines of a file from the beginning of one on; of each no more is kept than asked for. */
async function* linesFrom(
  { fd, encoding, signal }: OpenFile,
  offset: number,
  maxBytes: number,
): AsyncGenerator<Line> {
  let kept: Buffer = Buffer.alloc(0)
  let length = 0
  const finish = (): Line => {
    const text = kept.subarray(0, wholeCharacters(kept, maxBytes, encoding))
    const line = { text, length, isWhole: text.length === length }
    kept = Buffer.alloc(0)
    length = 0
    return line
  }
  for await (const chunk of pageChunks(fd, offset, signal)) {
    for (let from = 0; from < chunk.length;) {
      const end = endOfLine(chunk, from, encoding)
      const until = end === -1 ? chunk.length : end
      // Four bytes more show whether the last character is whole.
      const room = maxBytes + 4 - kept.length
      const piece = chunk.subarray(from, Math.min(until, from + Math.max(room, 0)))
      kept = kept.length === 0 ? piece : Buffer.concat([kept, piece])
      length += until - from
      from = until
      if (end !== -1) yield finish()
    }
  }
  if (length > 0) yield finish()
}

const firstBytes = 131_072

/** A small first chunk, since most pages end in it. */
async function* pageChunks(
  fd: number,
  offset: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const first = await readAt(fd, offset, firstBytes)
  yield first
  if (first.length === firstBytes) yield* chunksFrom(fd, offset + firstBytes, signal)
}
