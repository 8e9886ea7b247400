import { fstatSync } from 'node:fs'

import type { AdapterOutput } from '@callgate/spec'

import { openFile } from '../guard/open-file.ts'
import { fail } from '../guard/refuse.ts'
import { parsePath } from '../path/parse-path.ts'
import { readAt, withDescriptor } from '../read/bytes.ts'
import { hashOf } from '../read/content-hash.ts'
import {
  declaredEncoding,
  decode,
  encodingOfHead,
  guessEncoding,
  headBytes,
  type Encoding,
} from '../read/encoding.ts'
import { identityOf } from '../read/line-index.ts'
import { mediaTypeOf } from '../read/media-type.ts'
import {
  findLine,
  pageOfBytes,
  pageOfLines,
  type LinePage,
  type OpenFile,
  type Page,
} from '../read/page.ts'
import { numberOf, output, textOf, type Operation, type OperationCall } from './operation.ts'
import { countSchema, pathSchema } from './schemas.ts'

/** Data of a page of text. */
export interface ReadResult {
  readonly path: string
  /** Bytes of the whole file. */
  readonly size: number
  readonly encoding: string
  /** The encoding was guessed from the bytes; such a file is not edited. */
  readonly guessed?: true
  readonly text: string
  /** The byte where the text begins, and the one where the next page begins. */
  readonly offset: number
  readonly nextOffset: number
  /** Number of the first line, from 1, and how many there are; not when the page was asked for by bytes. */
  readonly line?: number
  readonly lines?: number
  /** Lines that were cut, and the bytes where their rests begin. */
  readonly cut?: readonly { readonly line: number; readonly offset: number }[]
  /** Whether the file ends with this page. */
  readonly end: boolean
  /** Known at the end. */
  readonly totalLines?: number
  /** Version of the content, for edit and write; not of files that are too large to be edited. */
  readonly hash?: string
}

/** Data of a file that is no text. */
export interface BinaryResult {
  readonly path: string
  readonly size: number
  readonly binary: true
  readonly mediaType: string
}

export const read: Operation = {
  name: 'read',
  description:
    'Reads a text file by pages of whole lines. Gives the text, its line numbers, where the next page begins, and the hash that edit needs. Of a binary file it gives type and size. To read on inside a very long line, give offset instead of line.',
  properties: {
    path: pathSchema,
    line: countSchema('First line to read, from 1. Default: 1.'),
    lines: countSchema('Most lines to read.'),
    offset: countSchema('Read from this byte on instead of a line.', 0),
    bytes: countSchema('With offset: most bytes to read.'),
    encoding: {
      type: 'string',
      description:
        'Encoding of a file that is not UTF-8, such as "gb18030" or "shift_jis". Default: it is guessed.',
    },
  },
  required: ['path'],
  effects: { readOnly: true, idempotent: true },
  paths: { path: 'read' },
  async run(call) {
    const path = parsePath(call.args['path'], 'path')
    const { fd, stat } = openFile(call.root, path, 'path')
    const signal = call.context.signal
    return withDescriptor(fd, async () => {
      const head = await readAt(fd, 0, Math.min(headBytes, stat.size))
      const label = textOf(call.args['encoding'])
      const encoding = label === undefined ? encodingOfHead(head) : declaredEncoding(label, head)
      if (encoding === 'binary') return binary(path.text, stat.size, head)
      return readText(call, path.text, { fd, stat, encoding, signal })
    })
  },
}

function binary(path: string, size: number, head: Buffer): AdapterOutput {
  const result: BinaryResult = { path, size, binary: true, mediaType: mediaTypeOf(head) }
  return output(result, `[binary file: ${result.mediaType}, ${size} bytes]`)
}

async function readText(call: OperationCall, path: string, file: OpenFile): Promise<AdapterOutput> {
  const page = await pageOf(call, file)
  const { text, encoding } = await decodePage(page, file.encoding, call)
  const { size } = file.stat
  const hash = await hashFor(page, file, call)
  const isLines = 'lines' in page
  const result: ReadResult = {
    path,
    size,
    encoding: encoding.name,
    ...(encoding.guessed ? { guessed: true } : {}),
    text,
    offset: page.offset,
    nextOffset: page.nextOffset,
    ...(isLines ? linesOf(page) : {}),
    end: page.isLast,
    ...(hash === undefined ? {} : { hash }),
  }
  return output(result, text, noteOf(result))
}

/**
 * The version of which the page is a part; undefined where the file is too large, or was changed in between: the hash of
 * another version would let an edit through that nobody has seen.
 */
async function hashFor(
  { bytes, offset, isLast }: Page,
  { fd, stat, signal }: OpenFile,
  { shared: { limits, hashes } }: OperationCall,
): Promise<string | undefined> {
  if (stat.size > limits.editBytes) return undefined
  if (isLast && offset === 0 && bytes.length === stat.size) return hashOf(bytes)
  const hash = await hashes.of(fd, stat, signal)
  return identityOf(fstatSync(fd)) === identityOf(stat) ? hash : undefined
}

function linesOf({ line, lines, cut, isLast }: LinePage): Partial<ReadResult> {
  return {
    line,
    lines,
    ...(cut.length === 0 ? {} : { cut }),
    ...(isLast ? { totalLines: line + lines - 1 } : {}),
  }
}

async function pageOf(call: OperationCall, file: OpenFile): Promise<Page | LinePage> {
  const { args, shared } = call
  const { pageBytes, pageLines } = shared.limits
  const lineBytes = Math.min(shared.limits.lineBytes, pageBytes)
  const offset = numberOf(args['offset'])
  if (offset !== undefined) {
    const bytes = Math.min(numberOf(args['bytes']) ?? pageBytes, pageBytes)
    // A page holds one character at least.
    return pageOfBytes(file, offset, Math.max(bytes, 4))
  }
  const line = Math.max(numberOf(args['line']) ?? 1, 1)
  const start = await findLine(file, line, shared.lines)
  if ('totalLines' in start) {
    const message = `Line ${line} is behind the end: the file has ${start.totalLines} lines.`
    return fail('line-range', 'line', message, start)
  }
  const lines = Math.min(numberOf(args['lines']) ?? pageLines, pageLines)
  return pageOfLines(file, start, { lines, pageBytes, lineBytes }, shared.lines)
}

/** The page as text; what is not UTF-8 is read by a guess, and said to be. */
async function decodePage(
  { bytes, offset }: Page,
  encoding: Encoding,
  { args }: OperationCall,
): Promise<{ readonly text: string; readonly encoding: Encoding }> {
  const text = decode(bytes, encoding)
  if (text !== undefined) return { text, encoding }
  if (args['encoding'] !== undefined) {
    return fail('encoding', 'encoding', `The bytes from ${offset} on are not ${encoding.name}.`)
  }
  const guess = await guessEncoding(bytes)
  return { text: decode(bytes, guess) ?? '', encoding: guess }
}

/** What stands below the text for the model: where it is and how it goes on. */
function noteOf(result: ReadResult): string {
  const { line, lines = 0, cut = [], end, size, encoding, guessed, hash } = result
  const place =
    line === undefined
      ? `bytes ${result.offset} to ${result.nextOffset} of ${size}`
      : `lines ${line} to ${line + lines - 1}, ${size} bytes in all`
  const more = end ? 'end of file' : `goes on with ${nextOf(result)}`
  const cuts = cut.map((each) => `line ${each.line} cut, its rest from offset ${each.offset}`)
  const facts = [
    lines === 0 && line !== undefined ? 'no more lines' : place,
    more,
    ...cuts.slice(0, 5),
    ...(guessed ? [`encoding guessed: ${encoding}`] : []),
    ...(hash === undefined ? [] : [`hash ${hash}`]),
  ]
  return `[${facts.join('; ')}]`
}

function nextOf({ line, lines = 0, nextOffset }: ReadResult): string {
  return line === undefined ? `offset ${nextOffset}` : `line ${line + lines}`
}
