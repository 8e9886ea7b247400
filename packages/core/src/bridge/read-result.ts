import { ToolError, type CallContext, type ToolDefinition } from '@callgate/spec'

import { backToBoundary, byteLength, onToBoundary, upToBytes } from '../results/cut-text.ts'
import type { Spills } from '../results/spills.ts'

/** The tool with which a model pages through a result that was too long (R11.2). */
export const resultRead = 'result_read'

const maxLines = 2000
const chunkBytes = 256 * 1024

export const resultReadDefinition: ToolDefinition = {
  namespace: 'bridge',
  name: resultRead,
  description:
    'Reads a part of a result that was too long to be shown whole: by lines (from_line, lines) or by bytes (from_byte, bytes).',
  parameters: {
    type: 'object',
    properties: {
      blob: {
        type: 'string',
        description: 'The id that stands at the end of the shortened result.',
      },
      from_line: { type: 'integer', minimum: 1, description: 'The first line, counted from 1.' },
      lines: {
        type: 'integer',
        minimum: 1,
        maximum: maxLines,
        description: 'How many; default 200.',
      },
      from_byte: { type: 'integer', minimum: 0, description: 'The first byte, counted from 0.' },
      bytes: {
        type: 'integer',
        minimum: 1,
        description: 'How many; default 8192.',
      },
    },
    required: ['blob'],
    additionalProperties: false,
  },
  backend: { adapter: 'function' },
  effects: { readOnly: true, idempotent: true },
  deferred: false,
}

interface ReadArguments {
  readonly blob: string
  readonly from_line?: number
  readonly lines?: number
  readonly from_byte?: number
  readonly bytes?: number
}

/** @throws ToolError `tool_failed` for an id that is not the session's. */
export async function readResult(
  spills: Spills,
  args: ReadArguments,
  { sessionId }: CallContext,
): Promise<object> {
  if (!spills.mayRead(args.blob, sessionId)) {
    throw new ToolError({
      code: 'tool_failed',
      message: `There is no kept result "${args.blob}" in this session.`,
      started: 'no',
    })
  }
  return args.from_byte === undefined && args.bytes === undefined
    ? readLines(spills, args)
    : readBytes(spills, args)
}

async function readBytes(spills: Spills, args: ReadArguments): Promise<object> {
  const { blob, from_byte: from = 0 } = args
  const count = Math.min(args.bytes ?? 8192, spills.pageBytes)
  // A few bytes more, so that no character is torn.
  const data = await spills.read(blob, from, from + count + 4)
  const start = onToBoundary(data, 0)
  const end = data.byteLength <= count ? data.byteLength : endOf(data, start, count)
  const text = spills.shown(new TextDecoder().decode(data.subarray(start, end)))
  return { text, from_byte: from + start, next_byte: data.byteLength > count ? from + end : null }
}

/** A page ends between characters, and is never empty: who goes on where it ends must come to the end. */
function endOf(data: Uint8Array, start: number, count: number): number {
  const end = backToBoundary(data, count)
  if (end > start) return end
  return Math.min(data.byteLength, onToBoundary(data, Math.max(count, start + 1)))
}

async function readLines(spills: Spills, args: ReadArguments): Promise<object> {
  const { blob, from_line: first = 1, lines: count = 200 } = args
  const maxBytes = spills.pageBytes
  const kept: string[] = []
  let size = 0
  let number = 1
  let isCut = false
  for await (const lines of linesOf(spills, blob)) {
    for (const line of lines) {
      if (number >= first) {
        const shown = upToBytes(line, maxBytes)
        size += byteLength(shown) + 1
        const full = kept.length === count || size > maxBytes + 1
        // One line is shown whatever its length.
        if (full && kept.length > 0) return page(kept, first, number, isCut)
        kept.push(spills.shown(shown))
        isCut ||= shown.length < line.length
      }
      number++
    }
  }
  return page(kept, first, null, isCut)
}

/** The lines of a blob, by chunks; one that is longer than a page is cut to a little more than that. */
async function* linesOf(spills: Spills, blob: string): AsyncGenerator<readonly string[]> {
  const maxLength = spills.pageBytes + 1
  const decoder = new TextDecoder()
  let begun = ''
  for (let at = 0, last = false; !last; at += chunkBytes) {
    const chunk = await spills.read(blob, at, at + chunkBytes)
    last = chunk.byteLength < chunkBytes
    const text = decoder.decode(chunk, { stream: !last })
    const lines = text.split('\n').map((line) => line.slice(0, maxLength))
    // What is longer than a page is not shown, so it is not put together either.
    lines[0] = begun.length < maxLength ? begun + lines[0]! : begun
    begun = lines.pop()!
    yield lines
  }
  yield [begun]
}

const cutNote = 'A line is too long and cut: read it by from_byte.'

function page(
  lines: readonly string[],
  first: number,
  next: number | null,
  isCut: boolean,
): object {
  const text = lines.join('\n')
  return { text, from_line: first, next_line: next, ...(isCut ? { note: cutNote } : {}) }
}
