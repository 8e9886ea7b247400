import type { AdapterOutput, ContentPart, InvokeContext } from '@callgate/spec'

import type { HttpLimits } from '../exchange/limits.ts'
import type { RawAnswer } from '../exchange/send.ts'
import { charset, essence, isJson, isText } from '../operation/media.ts'
import { collect, type Collected } from './collect.ts'
import { decodeBody } from './decode.ts'
import { readEvents } from './events.ts'
import { fileName } from './file-name.ts'
import { openBlob } from './open-blob.ts'
import { parseJson } from './parse-json.ts'
import { utf8 } from './utf8.ts'

/** What an answer holds: a value, or text or media, or nothing. */
export interface Answer {
  readonly data?: unknown
  readonly content?: readonly ContentPart[]
  readonly metadata?: AdapterOutput['metadata']
}

/** Whether an answer had no body. */
export function isEmpty({ data, content }: Answer): boolean {
  return data === undefined && content === undefined
}

const previewBytes = 64 * 1024

/** Reads the body of an answer by its media type (D13). */
export async function readAnswer(
  raw: RawAnswer,
  limits: Required<HttpLimits>,
  context: Pick<InvokeContext, 'blob' | 'progress'>,
): Promise<Answer> {
  if (hasNoBody(raw)) {
    await raw.body.dump()
    return {}
  }
  const declared = headerOf(raw, 'content-type') ?? ''
  const { stream, undecoded } = decodeBody(raw.body, raw.headers['content-encoding'])
  // What cannot be decoded is bytes, whatever it was before.
  const type = undecoded.length > 0 ? 'application/octet-stream' : essence(declared)
  const events = eventKind(type)
  if (events !== undefined) {
    const show = (line: string): string => withoutToken(line, raw)
    const { events: data, cut } = await readEvents(stream, events, limits, context, show)
    return { data, ...(cut ? { metadata: { cut: true } } : {}) }
  }
  const short = shortText(raw, type, declared, limits)
  if (short) return jsonOrText(withoutToken(await raw.body.text(), raw), type)
  const file = fileOf(type, raw)
  const collected = await collect(stream, limits, context, file)
  const show = (text: string): string => withoutToken(text, raw)
  return answerOf(collected, type, declared, show) ?? binary(collected, file, context)
}

/** A shorter token would be found in harmless text everywhere. */
const shortestToken = 8

/** The host takes its own secrets out of all that it shows; a token that was issued meanwhile it does not know. */
function withoutToken(text: string, { issued }: RawAnswer): string {
  return issued === undefined || issued.length < shortestToken
    ? text
    : text.replaceAll(issued, '[redacted]')
}

/** RFC 9110 section 6.4.1. Such an answer may name a coding that it has not. */
function hasNoBody({ method, status, headers }: RawAnswer): boolean {
  return method === 'HEAD' || status === 204 || status === 304 || headers['content-length'] === '0'
}

/** Most answers: text in UTF-8 whose length is announced and fits, read at once. */
function shortText(
  raw: RawAnswer,
  type: string,
  declared: string,
  limits: Required<HttpLimits>,
): boolean {
  const length = Number(headerOf(raw, 'content-length') ?? Number.NaN)
  return (
    length <= Math.min(limits.inlineBytes, limits.responseBytes) &&
    raw.headers['content-encoding'] === undefined &&
    (isJson(type) || isText(type)) &&
    /^utf-?8$/i.test(charset(declared) ?? 'utf-8')
  )
}

/** The answer as a value or text; nothing where it is bytes. */
function answerOf(
  collected: Collected,
  type: string,
  declared: string,
  show: (text: string) => string,
): Answer | undefined {
  const { bytes, blob } = collected
  if (isJson(type) || isText(type)) {
    return blob === undefined
      ? jsonOrText(show(decoded(bytes, declared)), type)
      : headOf(show(decoded(bytes.subarray(0, previewBytes), declared, true)), blob, declared)
  }
  if (type !== '' || blob !== undefined) return undefined
  const plain = utf8(bytes)
  return plain === undefined ? undefined : textAnswer(show(plain))
}

/** What a blob is told about its content. */
interface FileFacts {
  readonly mediaType: string
  readonly name?: string
}

function fileOf(type: string, raw: RawAnswer): FileFacts {
  const name = fileName(headerOf(raw, 'content-disposition'))
  return {
    mediaType: type === '' ? 'application/octet-stream' : type,
    ...(name === undefined ? {} : { name }),
  }
}

/** One header of an answer, the first where there are several. */
export function headerOf(raw: RawAnswer, name: string): string | undefined {
  const value = raw.headers[name]
  return Array.isArray(value) ? value[0] : value
}

function eventKind(type: string): 'sse' | 'lines' | undefined {
  if (type === 'text/event-stream') return 'sse'
  return /^application\/(?:x-ndjson|ndjson|jsonl|x-jsonlines|json-lines)$/.test(type)
    ? 'lines'
    : undefined
}

/** JSON where it says so and parses; else what it is: text, and where it was to be JSON that is said behind it. */
function jsonOrText(source: string, type: string): Answer {
  if (source === '' || !isJson(type)) return textAnswer(source)
  try {
    return { data: parseJson(source) }
  } catch {
    const note = 'announced as JSON, but it does not parse'
    const content = [source, `[${note}]`].map((text) => ({ type: 'text', text }) as const)
    return { data: source, content, metadata: { note } }
  }
}

/** A text that is too long to keep: its head, and where the whole is. */
function headOf(head: string, blob: NonNullable<Collected['blob']>, declared: string): Answer {
  const where = `[the whole answer, ${blob.bytes} bytes, is blob ${blob.blobId}]`
  return {
    data: { ...blob, mediaType: essence(declared) },
    content: [{ type: 'text', text: `${head}\n${where}` }],
  }
}

function textAnswer(source: string): Answer {
  return source === '' ? {} : { content: [{ type: 'text', text: source }] }
}

async function binary(
  collected: Collected,
  file: FileFacts,
  context: Pick<InvokeContext, 'blob'>,
): Promise<Answer> {
  if (collected.blob === undefined) {
    if (collected.bytes.length === 0) return {}
    const kind = /^(image|audio)\//.exec(file.mediaType)?.[1] as 'image' | 'audio' | undefined
    if (kind) {
      return { content: [{ type: kind, mediaType: file.mediaType, data: collected.bytes }] }
    }
  }
  return { data: { ...(collected.blob ?? (await store(collected.bytes, file, context))), ...file } }
}

async function store(
  bytes: Uint8Array,
  file: FileFacts,
  context: Pick<InvokeContext, 'blob'>,
): Promise<{ readonly blobId: string; readonly bytes: number }> {
  const blob = openBlob(context, file)
  await blob.write(bytes)
  return blob.close()
}

/** The bytes as text; of a part a character that goes on after its end is left out. */
function decoded(bytes: Uint8Array, declared: string, isPart: boolean = false): string {
  const label = charset(declared) ?? 'utf-8'
  const options = { stream: isPart }
  try {
    return new TextDecoder(label).decode(bytes, options)
  } catch {
    // A label that nobody knows: UTF-8 shows the most of it.
    return new TextDecoder().decode(bytes, options)
  }
}
