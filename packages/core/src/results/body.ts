import { ToolError, type AdapterOutput, type ContentPart } from '@callgate/spec'

import type { Stop } from '../turn/stop.ts'
import { isTextType } from './text-types.ts'

/** What a function may return that has to be read first: JSON would make `{}` of it. */
export type Body = Response | Blob | ReadableStream | AsyncIterable<unknown> | Iterator<unknown>

/** More is not held in memory; a tool writes it to `context.blob`. */
const maxBytes = 16 * 1024 * 1024
const maxItems = 10_000

export interface BodyReading {
  readonly stop: Stop
  /** Told of each text as it comes. */
  readonly onText: (text: string) => void
}

/** By what they can do, since each realm has classes of its own. Plain objects and lists are told at once. */
export function isBody(value: unknown): value is Body {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === Array.prototype || prototype === null)
    return false
  return isBlobLike(value) || isStream(value) || Symbol.asyncIterator in value || isIterator(value)
}

/**
 * Reads a body into an output (R11.1): JSON as data, text as text, other bytes as media, values one by one as a list.
 *
 * @throws ToolError `tool_failed` where it is longer than 16 MiB or 10,000 values, and whatever the body throws.
 */
export async function readBody(body: Body, reading: BodyReading): Promise<AdapterOutput> {
  if (isResponse(body)) return readResponse(body, reading)
  if (isBlobLike(body)) return outputOf(await readChunks(body.stream(), quiet(reading)), body.type)
  return outputOf(await readChunks(body, reading), '')
}

async function readResponse(response: Response, reading: BodyReading): Promise<AdapterOutput> {
  const type = response.headers.get('content-type') ?? ''
  const chunks = response.body === null ? [] : await readChunks(response.body, quiet(reading))
  const output = outputOf(chunks, type)
  const metadata = { status: response.status }
  return response.status < 400 ? { ...output, metadata } : { ...output, metadata, isError: true }
}

/** The bytes of a file or an answer are no texts of their own. */
function quiet({ stop }: BodyReading): BodyReading {
  return { stop, onText: () => {} }
}

async function readChunks(
  body: Exclude<Body, Response | Blob>,
  { stop, onText }: BodyReading,
): Promise<readonly unknown[]> {
  const source = iteratorOf(body)
  const end = { onStop: () => void closed(source) }
  stop.tell(end)
  const chunks: unknown[] = []
  let size = 0
  try {
    for (;;) {
      const step = await source.next()
      // What was let go ends early, and is not the whole.
      if (stop.stopped) throw stoppedReading()
      if (step.done === true) return chunks
      chunks.push(step.value)
      size += sizeOf(step.value)
      if (typeof step.value === 'string') onText(step.value)
      if (size > maxBytes || chunks.length > maxChunks(step.value)) throw tooLong()
    }
  } catch (error) {
    void closed(source)
    throw error
  } finally {
    stop.forget(end)
  }
}

function iteratorOf(
  body: ReadableStream | AsyncIterable<unknown> | Iterator<unknown>,
): AsyncIterator<unknown> | Iterator<unknown> {
  // A stream also has an iterator, but one that lets go only when its next chunk has come.
  if (!isStream(body)) {
    return Symbol.asyncIterator in body ? body[Symbol.asyncIterator]() : body
  }
  const reader = body.getReader()
  return {
    next: () => reader.read() as Promise<IteratorResult<unknown>>,
    return: async (value) => (await reader.cancel(), { done: true, value }),
  }
}

/** Lets the source go; what it throws at that is nobody's. */
async function closed(source: AsyncIterator<unknown> | Iterator<unknown>): Promise<void> {
  try {
    await source.return?.()
  } catch {
    // The reading has ended for another reason, which is told.
  }
}

/** Pieces of one text or file may be many. */
function maxChunks(chunk: unknown): number {
  return typeof chunk === 'string' || isBytes(chunk) ? Infinity : maxItems
}

function stoppedReading(): ToolError {
  const message = 'The call was stopped while its result was read.'
  return new ToolError({ code: 'cancelled', message, started: 'unknown' })
}

function tooLong(): ToolError {
  return new ToolError({
    code: 'tool_failed',
    message: `The tool returned more than ${maxBytes / 1024 / 1024} MiB or ${maxItems} values.`,
    started: 'yes',
  })
}

function sizeOf(chunk: unknown): number {
  if (typeof chunk === 'string') return chunk.length
  return isBytes(chunk) ? chunk.byteLength : 0
}

function outputOf(chunks: readonly unknown[], mediaType: string): AdapterOutput {
  const [first] = chunks
  if (first === undefined && chunks.length === 0) return { data: null }
  if (chunks.every(isBytes)) return fromBytes(joined(chunks), mediaType)
  if (chunks.every((chunk) => typeof chunk === 'string')) return { data: chunks.join('') }
  return { data: chunks }
}

function fromBytes(bytes: Uint8Array, mediaType: string): AdapterOutput {
  const [plain = ''] = mediaType.split(';', 1)
  const text =
    plain.trim() === '' || isTextType(plain) ? decoded(bytes, charsetOf(mediaType)) : undefined
  if (text === undefined) return { data: null, content: [mediaPart(bytes, plain)] }
  return /[/+]json$/i.test(plain.trim()) ? { data: parsed(text) } : { data: text }
}

/** What a media type says of its characters: `text/html; charset=gb18030`. */
function charsetOf(mediaType: string): string {
  return /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(mediaType)?.[1] ?? 'utf-8'
}

/** Undefined where the bytes are no text in these characters, or nobody here knows them. */
function decoded(bytes: Uint8Array, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

function mediaPart(data: Uint8Array, given: string): ContentPart {
  const mediaType = given === '' ? 'application/octet-stream' : given
  const kind = mediaType.split('/', 1)[0]
  return { type: kind === 'image' || kind === 'audio' ? kind : 'file', mediaType, data }
}

function joined(chunks: readonly (Uint8Array | ArrayBuffer)[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk instanceof ArrayBuffer ? new Uint8Array(chunk) : chunk, at)
    at += chunk.byteLength
  }
  return whole
}

function isBytes(chunk: unknown): chunk is Uint8Array | ArrayBuffer {
  return chunk instanceof Uint8Array || chunk instanceof ArrayBuffer
}

function has(value: object, method: string): boolean {
  return typeof (value as Record<string, unknown>)[method] === 'function'
}

function isBlobLike(value: object): value is Blob | Response {
  return has(value, 'arrayBuffer') && has(value, 'text')
}

function isResponse(value: object): value is Response {
  return isBlobLike(value) && 'status' in value && 'headers' in value
}

function isStream(value: object): value is ReadableStream {
  return has(value, 'getReader')
}

function isIterator(value: object): value is Iterator<unknown> {
  return has(value, 'next') && Symbol.iterator in value
}
