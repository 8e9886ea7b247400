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
  readonly cut: readonly LineStart[]
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
  const read = await readAt(fd, aligned, Math.min(maxBytes + 4, Math.max(stat.size - aligned, 0)))
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

/** A page of whole lines from a line on; lines that are too long are cut. `lineBytes` is at most `pageBytes`. */
export async function pageOfLines(
  file: OpenFile,
  from: LineStart,
  bounds: PageBounds,
  index: LineIndex,
): Promise<LinePage> {
  const { fd, stat, encoding } = file
  const pieces: Buffer[] = []
  const cut: LineStart[] = []
  let { line, offset } = from
  let room = bounds.pageBytes
  while (offset < stat.size) {
    const lines = bounds.lines - (line - from.line)
    // Four bytes more show whether a line fits, and whether its last character is whole.
    // oxlint-disable-next-line no-await-in-loop -- once more for each line that is cut
    const window = await readAt(fd, offset, Math.min(room + 4, stat.size - offset))
    const isEnd = offset + window.length >= stat.size
    const fitting = wholeLines(window, isEnd, { ...bounds, lines, pageBytes: room }, encoding)
    pieces.push(window.subarray(0, fitting.bytes))
    room -= fitting.bytes
    line += fitting.lines
    offset += fitting.bytes
    const rest = window.subarray(fitting.bytes)
    const shown = wholeCharacters(rest, bounds.lineBytes, encoding)
    if (!fitting.isNextLong || shown > room) break
    pieces.push(rest.subarray(0, shown))
    room -= shown
    cut.push({ line, offset: offset + shown })
    // oxlint-disable-next-line no-await-in-loop -- the next line begins behind this one
    offset = await endOfLongLine(file, offset)
    line += 1
  }
  index.add(stat, { line, offset })
  return {
    bytes: Buffer.concat(pieces),
    offset: from.offset,
    nextOffset: offset,
    isLast: offset >= stat.size,
    line: from.line,
    lines: line - from.line,
    cut,
  }
}

interface WholeLines {
  readonly bytes: number
  readonly lines: number
  /** The next line would be wanted, and is longer than a line may be. */
  readonly isNextLong: boolean
}

/** As many whole lines at the beginning of a window as the bounds permit. */
function wholeLines(
  window: Buffer,
  isEnd: boolean,
  { lines, pageBytes, lineBytes }: PageBounds,
  encoding: Encoding,
): WholeLines {
  let bytes = 0
  let count = 0
  while (count < lines && bytes < window.length) {
    const behind = endOfLine(window, bytes, encoding)
    const end = behind === -1 ? window.length : behind
    if (end - bytes > lineBytes) return { bytes, lines: count, isNextLong: true }
    if (end > pageBytes || (behind === -1 && !isEnd)) break
    bytes = end
    count += 1
  }
  return { bytes, lines: count, isNextLong: false }
}

async function endOfLongLine({ fd, encoding, signal }: OpenFile, offset: number): Promise<number> {
  let position = offset
  for await (const chunk of chunksFrom(fd, offset, signal)) {
    const end = endOfLine(chunk, 0, encoding)
    if (end !== -1) return position + end
    position += chunk.length
  }
  return position
}
