import { closeSync } from 'node:fs'

import { ToolError } from '@callgate/spec'

import { openFile } from '../guard/open-file.ts'
import { relativePath } from '../path/parse-path.ts'
import { readAt } from '../read/bytes.ts'
import {
  decode,
  encodingOfHead,
  guessEncoding,
  headBytes,
  type Encoding,
} from '../read/encoding.ts'
import { lineIndex } from '../read/line-index.ts'
import { findLine, type OpenFile } from '../read/page.ts'
import type { Root } from '../roots/root.ts'
import { lineAround, type Excerpt } from './excerpt.ts'

/** A file in which something was found, opened by the guard; undefined where it may not be shown. */
export interface MatchFile {
  /** The line at a byte, with lines around it. */
  excerpt(line: number, offset: number): Promise<Excerpt | undefined>
  close(): void
}

export interface MatchOptions {
  readonly lineBytes: number
  readonly contextLines: number
  readonly signal: AbortSignal
}

/** Opens what the search engine names: what is shown is read from there, never taken from the engine (C2). */
export async function openMatchFile(
  root: Root,
  parts: readonly string[],
  options: MatchOptions,
): Promise<MatchFile | undefined> {
  let fd: number | undefined
  try {
    const opened = openFile(root, relativePath(parts), 'dir')
    fd = opened.fd
    return await matchFile({ ...opened, signal: options.signal }, options)
  } catch (error) {
    if (fd !== undefined) closeSync(fd)
    // It was exchanged, or it is one that is not shown.
    if (ToolError.isInstance(error)) return undefined
    throw error
  }
}

async function matchFile(
  file: Omit<OpenFile, 'encoding'>,
  { lineBytes, contextLines }: MatchOptions,
): Promise<MatchFile | undefined> {
  const encoding = encodingOfHead(await readAt(file.fd, 0, headBytes))
  const close = (): void => closeSync(file.fd)
  if (encoding === 'binary') {
    close()
    return undefined
  }
  const lines = lineIndex()
  const offsetOf = async (line: number, offset: number): Promise<number | undefined> => {
    // The engine counts without a mark, and the bytes of UTF-16 after turning them into UTF-8.
    if (encoding.unit === 1) return offset + encoding.markBytes
    const start = await findLine({ ...file, encoding }, line, lines)
    return 'offset' in start ? start.offset : undefined
  }
  return {
    async excerpt(line, offset) {
      const place = await offsetOf(line, offset)
      if (place === undefined) return undefined
      const bytes = await lineAround({ ...file, encoding }, place, lineBytes, contextLines)
      return textOf(bytes, encoding)
    },
    close,
  }
}

async function textOf(
  { line, before, after, isCut }: Awaited<ReturnType<typeof lineAround>>,
  encoding: Encoding,
): Promise<Excerpt> {
  const read = async (bytes: Buffer): Promise<string> => {
    const text = decode(bytes, encoding) ?? decode(bytes, await guessEncoding(bytes)) ?? ''
    return text.replace(/\r?\n$/, '').replace(/^\uFEFF/, '')
  }
  return {
    text: await read(line),
    ...(isCut ? { cut: true } : {}),
    ...(before.length === 0 ? {} : { before: await Promise.all(before.map(read)) }),
    ...(after.length === 0 ? {} : { after: await Promise.all(after.map(read)) }),
  }
}
