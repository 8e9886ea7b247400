import { readAt } from '../read/bytes.ts'
import { endOfLine, wholeCharacters } from '../read/newlines.ts'
import type { OpenFile } from '../read/page.ts'

/** A line that matches, and what stands around it. */
export interface Excerpt {
  readonly text: string
  /** The line is longer than what is shown. */
  readonly cut?: true
  readonly before?: readonly string[]
  readonly after?: readonly string[]
}

export interface ExcerptBytes {
  readonly line: Buffer
  readonly before: readonly Buffer[]
  readonly after: readonly Buffer[]
  readonly isCut: boolean
}

/** Bytes of a long line that are shown before the match. */
const leadBytes = 200

/** The line in which a byte lies, and lines around it as far as the window goes. */
export async function lineAround(
  { fd, encoding }: OpenFile,
  offset: number,
  lineBytes: number,
  contextLines: number,
): Promise<ExcerptBytes> {
  const reach = lineBytes * (contextLines + 1)
  const windowStart = Math.max(
    encoding.markBytes,
    offset - reach - ((offset - reach) % encoding.unit),
  )
  const window = await readAt(fd, windowStart, offset - windowStart + reach + 4)
  const at = offset - windowStart
  const lines = splitLines(window, encoding)
  const found = lines.findIndex(({ end }) => end > at)
  // What matches the end of the file belongs to its last line.
  const index = found === -1 ? lines.length - 1 : found
  const { start = at, end = at } = lines[index] ?? {}
  // The first line of a window that begins in the middle of a file is a part of one.
  const isLong = end - start > lineBytes || (index === 0 && windowStart > encoding.markBytes)
  const from = isLong
    ? Math.max(start, characterStart(window, at - leadBytes, encoding.name))
    : start
  const shown = window.subarray(from, end)
  const wholeStart = windowStart > encoding.markBytes ? 1 : 0
  const slices = lines.map((each) => window.subarray(each.start, each.end))
  const cut = (line: Buffer): Buffer => line.subarray(0, wholeCharacters(line, lineBytes, encoding))
  return {
    line: cut(shown),
    before: slices.slice(Math.max(index - contextLines, wholeStart), index).map(cut),
    after: slices.slice(index + 1, index + 1 + contextLines).map(cut),
    isCut: isLong || shown.length > lineBytes,
  }
}

function splitLines(
  window: Buffer,
  encoding: OpenFile['encoding'],
): readonly { readonly start: number; readonly end: number }[] {
  const lines: { start: number; end: number }[] = []
  let start = 0
  for (
    let end = endOfLine(window, 0, encoding);
    end !== -1;
    end = endOfLine(window, end, encoding)
  ) {
    lines.push({ start, end })
    start = end
  }
  if (start < window.length) lines.push({ start, end: window.length })
  return lines
}

function characterStart(window: Buffer, at: number, encodingName: string): number {
  let start = Math.max(at, 0)
  if (encodingName !== 'utf-8') return start - (start % 2)
  while (start < window.length && ((window[start] ?? 0) & 0xc0) === 0x80) start += 1
  return start
}
