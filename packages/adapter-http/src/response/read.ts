import type { AdapterOutput, ContentPart, InvokeContext } from '@callgate/spec'

import type { HttpLimits } from '../exchange/limits.ts'
import type { RawAnswer } from '../exchange/send.ts'
import { charset, essence, isJson, isText } from '../operation/media.ts'
import { collect, type Collected } from './collect.ts'
import { decodeBody } from './decode.ts'
import { readEvents } from './events.ts'

/** What an answer holds: a value, or text or media, or nothing. */
export interface Answer {
  readonly data?: unknown
  readonly content?: readonly ContentPart[]
  readonly metadata?: AdapterOutput['metadata']
}

const previewBytes = 64 * 1024

/** Reads the body of an answer by its media type (D13). */
export async function readAnswer(
  raw: RawAnswer,
  limits: Required<HttpLimits>,
  context: Pick<InvokeContext, 'blob' | 'progress'>,
): Promise<Answer> {
  const declared = headerOf(raw, 'content-type') ?? ''
  const type = essence(declared)
  const { stream, undecoded } = decodeBody(raw.body, raw.headers['content-encoding'])
  if (undecoded.length === 0 && eventKind(type) !== undefined) {
    const { events, cut } = await readEvents(stream, eventKind(type) ?? 'sse', limits, context)
    return { data: events, ...(cut ? { metadata: { cut: true } } : {}) }
  }
  const mediaType = type === '' || undecoded.length > 0 ? 'application/octet-stream' : type
  const name = fileName(headerOf(raw, 'content-disposition'))
  const collected = await collect(stream, limits, context, {
    mediaType,
    ...(name === undefined ? {} : { name }),
  })
  if (undecoded.length > 0) return binary(collected, mediaType, name, context)
  if (isJson(type) && collected.blob === undefined) return json(collected.bytes, declared)
  if (isJson(type) || isText(type)) return text(collected, declared)
  const plain = type === '' ? utf8(collected.bytes) : undefined
  if (plain !== undefined && collected.blob === undefined) return textAnswer(plain)
  return binary(collected, mediaType, name, context)
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

/** JSON where it says so and parses; else what it is: text. */
function json(bytes: Uint8Array, declared: string): Answer {
  if (bytes.length === 0) return {}
  const source = decoded(bytes, declared)
  try {
    return { data: JSON.parse(source) as unknown }
  } catch {
    return { ...textAnswer(source), metadata: { note: 'announced as JSON, but it does not parse' } }
  }
}

function text(collected: Collected, declared: string): Answer {
  if (collected.blob === undefined) {
    return collected.bytes.length === 0 ? {} : textAnswer(decoded(collected.bytes, declared))
  }
  const head = decoded(collected.bytes.subarray(0, previewBytes), declared)
  const { blobId, bytes } = collected.blob
  return {
    data: { blobId, bytes, mediaType: essence(declared) },
    content: [
      { type: 'text', text: `${head}\n[the whole answer, ${bytes} bytes, is blob ${blobId}]` },
    ],
  }
}

function textAnswer(source: string): Answer {
  return source === '' ? {} : { content: [{ type: 'text', text: source }] }
}

async function binary(
  collected: Collected,
  mediaType: string,
  name: string | undefined,
  context: Pick<InvokeContext, 'blob'>,
): Promise<Answer> {
  if (collected.blob === undefined) {
    if (collected.bytes.length === 0) return {}
    const kind = /^(image|audio)\//.exec(mediaType)?.[1] as 'image' | 'audio' | undefined
    if (kind) return { content: [{ type: kind, mediaType, data: collected.bytes }] }
  }
  const stored = collected.blob ?? (await store(collected.bytes, mediaType, name, context))
  return { data: { ...stored, mediaType, ...(name === undefined ? {} : { name }) } }
}

async function store(
  bytes: Uint8Array,
  mediaType: string,
  name: string | undefined,
  context: Pick<InvokeContext, 'blob'>,
): Promise<{ readonly blobId: string; readonly bytes: number }> {
  const blob = context.blob({ mediaType, ...(name === undefined ? {} : { name }) })
  await blob.write(bytes)
  return blob.close()
}

function decoded(bytes: Uint8Array, declared: string): string {
  const label = charset(declared) ?? 'utf-8'
  try {
    return new TextDecoder(label).decode(bytes)
  } catch {
    // A label that nobody knows: UTF-8 shows the most of it.
    return new TextDecoder().decode(bytes)
  }
}

/** The bytes as text if they are strict UTF-8 without NUL. */
function utf8(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** A file name of Content-Disposition, without any folder. */
function fileName(disposition: string | undefined): string | undefined {
  const found = /filename="?([^";]+)"?/i.exec(disposition ?? '')?.[1]
  return found?.split(/[/\\]/).at(-1)?.trim() || undefined
}
