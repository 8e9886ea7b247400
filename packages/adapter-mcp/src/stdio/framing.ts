import { Buffer } from 'node:buffer'
import { StringDecoder } from 'node:string_decoder'

import type { JSONRPCMessage } from '@modelcontextprotocol/client'

import { type Cut, createCut, endlessBytes } from '../channel/cut.ts'
import { eachLine } from '../channel/lines.ts'
import { isRecord } from '../record.ts'

/** What a framer makes of the bytes of a server's stdout. */
export interface FramingSink {
  /** `bytes` of the line that held it. */
  message(message: JSONRPCMessage, bytes: number): void
  /** A line that holds no JSON-RPC message. */
  noise(line: string): void
  /** A message above the limit was dropped; `id` is that of its head, if it could be read there. */
  oversize(id: string | number | undefined, bytes: number): void
  /** A line went far beyond the limit: nobody can tell that it will ever end. May be told again. */
  endless(): void
}

const batchBytes = 1024 * 1024
/** A line of this size and more is read in a turn of the event loop of its own. */
const largeLine = 4 * 1024 * 1024

/** Takes the bytes as they come. */
export interface Framer {
  feed(chunk: Buffer): void
  /** Reads at once what waits for its turn: nothing more will come. */
  flush(): void
}

/**
 * Cuts a byte stream into newline-framed JSON-RPC messages (R8.4).
 *
 * Chunks are kept in a list and joined once, so a message of n bytes costs O(n) however it arrives; a large one is
 * decoded as it comes, and parsed in a turn of its own, so that not all of its cost falls into one turn of the event
 * loop. A message above `limit` bytes is dropped up to its newline and reported, and the stream goes on behind it; where
 * that newline does not come, it is over.
 */
export function createFramer(limit: number, sink: FramingSink): Framer {
  const decoder = new StringDecoder('utf8')
  let parts: Buffer[] = []
  let waiting = 0
  let text = ''
  let size = 0
  /** Of a line that is skipped, for it is above the limit. */
  let cut: Cut | undefined
  const turns = createTurns()

  function keep(part: Buffer): void {
    size += part.length
    if (cut !== undefined) {
      cut.add(part)
      if (size > limit + endlessBytes) sink.endless()
      return
    }
    parts.push(part)
    waiting += part.length
    if (waiting >= batchBytes) decode()
    if (size > limit) skip()
  }

  /** In pieces of a megabyte: so small that none stops the event loop, and so large that none is copied again. */
  function decode(): void {
    const [only] = parts
    text += decoder.write(
      parts.length === 1 && only !== undefined ? only : Buffer.concat(parts, waiting),
    )
    parts = []
    waiting = 0
  }

  function skip(): void {
    decode()
    cut = createCut(text)
    text = ''
  }

  function endLine(): void {
    if (waiting > 0) decode()
    const line = text + decoder.end()
    const bytes = size
    const skipped = cut
    text = ''
    size = 0
    cut = undefined
    if (skipped !== undefined) sink.oversize(skipped.id(), bytes)
    else if (bytes < largeLine) readLine(line, bytes, sink)
    else {
      // Its pieces become one text here, which costs about what the parsing costs then.
      line.charCodeAt(0)
      turns.later(() => readLine(line, bytes, sink))
    }
  }

  return { feed: (chunk) => eachLine(chunk, keep, endLine), flush: () => turns.flush() }
}

/** Work of which each piece gets a turn of the event loop of its own. */
function createTurns(): { later(work: () => void): void; flush(): void } {
  const waiting: (() => void)[] = []
  return {
    later: (work) => {
      waiting.push(work)
      setImmediate(() => waiting.shift()?.())
    },
    flush: () => {
      for (const work of waiting.splice(0)) work()
    },
  }
}

function readLine(line: string, bytes: number, sink: FramingSink): void {
  const text = line.charCodeAt(0) === 0xfeff ? line.slice(1) : line
  const value = parse(text)
  if (value === undefined) {
    readGlued(text, bytes, sink)
    return
  }
  // Batches left the protocol in 2025-06-18; servers of 2025-03-26 may still send one.
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (messages.length > 0 && messages.every(isMessage)) {
    for (const message of messages) sink.message(message as JSONRPCMessage, bytes)
  } else {
    sink.noise(text)
  }
}

/** How messages begin, whoever writes them; the official SDK puts what it has to say before the version. */
const messageStarts = ['{"jsonrpc"', '{"result"', '{"method"'] as const
/** A line of noise that looks like messages over and over is not searched to its end. */
const maxStarts = 8

/**
 * A progress bar or log text without its newline stands before a message, or another message does; each may itself hold
 * such a start.
 */
function readGlued(text: string, bytes: number, sink: FramingSink): void {
  if (text.trim() === '') return
  const found: unknown[] = []
  let end = text.length
  let start = lastStart(text, end)
  for (let tried = 0; start !== -1 && tried < maxStarts; tried += 1) {
    const value = parse(text.slice(start, end))
    if (isMessage(value)) {
      found.unshift(value)
      end = start
      tried = 0
    }
    start = start === 0 ? -1 : lastStart(text, start - 1)
  }
  const noise = text.slice(0, end)
  if (noise.trim() !== '') sink.noise(noise)
  for (const message of found) sink.message(message as JSONRPCMessage, bytes)
}

function lastStart(text: string, before: number): number {
  return Math.max(...messageStarts.map((start) => text.lastIndexOf(start, before)))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isMessage(value: unknown): boolean {
  return (
    isRecord(value) &&
    value['jsonrpc'] === '2.0' &&
    ('method' in value || 'result' in value || 'error' in value)
  )
}
