import { Buffer } from 'node:buffer'

import type { ContentPart } from '@callgate/spec'

import { isRecord, type JsonRecord } from '../record.ts'
import { cleanJson } from '../text/clean-json.ts'
import { cleanLargeText, largeText } from '../text/clean-large.ts'
import { cleanText } from '../text/clean.ts'
import { jsonWithoutBase64 } from '../text/elide-base64.ts'

/** Parts of a result, and what had to be repaired in them. */
export interface ReadContent {
  readonly parts: readonly ContentPart[]
  readonly notes: readonly string[]
}

/**
 * Reads the content of a result part by part. The tool has already run, so nothing is thrown away: an unknown part
 * stays as JSON text, damaged base64 is read as far as it goes, and each repair leaves a note.
 */
export async function readContent(raw: unknown): Promise<ReadContent> {
  if (raw === undefined || raw === null) return { parts: [], notes: [] }
  const notes: string[] = []
  const list: readonly unknown[] = Array.isArray(raw) ? raw : [raw]
  if (!Array.isArray(raw)) notes.push('content is not a list')
  const parts = list.flatMap((part) => readPart(part, notes))
  if (!parts.some(isLarge)) return { parts, notes }
  const cleaned: ContentPart[] = []
  for (const part of parts) {
    if (!isLarge(part)) {
      cleaned.push(part)
      continue
    }
    // oxlint-disable-next-line no-await-in-loop -- two at once would not be done sooner
    const text = await cleanLargeText(part.text)
    if (text.length !== part.text.length) notes.push(hidden)
    cleaned.push({ ...part, text })
  }
  return { parts: cleaned, notes }
}

/** Said where text lost what nobody was to see. */
export const hidden = 'hidden characters removed'

/** Text that {@link readKnown} has left for later. */
function isLarge(
  part: ContentPart,
): part is ContentPart & { readonly type: 'text'; readonly text: string } {
  return part.type === 'text' && part.text.length > largeText
}

function readPart(raw: unknown, notes: string[]): readonly ContentPart[] {
  if (typeof raw === 'string') {
    notes.push('a part is plain text')
    return [{ type: 'text', text: clean(raw, notes) }]
  }
  if (!isRecord(raw)) {
    notes.push('an empty part was left out')
    return []
  }
  const part = readKnown(raw, notes)
  if (part === undefined) {
    const type = raw['type']
    notes.push(
      `unknown part ${cleanText(typeof type === 'string' ? type : typeof type).slice(0, 40)}`,
    )
    // Cleaned first, which also cuts what is too deep to be written.
    const cleaned = cleanJson(raw)
    if (cleaned !== raw) notes.push(hidden)
    return [{ type: 'text', text: jsonWithoutBase64(cleaned) }]
  }
  const annotations = raw['annotations']
  return [
    isRecord(annotations) ? { ...part, annotations: cleanJson(annotations) as JsonRecord } : part,
  ]
}

function readKnown(raw: JsonRecord, notes: string[]): ContentPart | undefined {
  switch (raw['type']) {
    case 'text':
      return typeof raw['text'] === 'string'
        ? {
            type: 'text',
            text: raw['text'].length > largeText ? raw['text'] : clean(raw['text'], notes),
          }
        : undefined
    case 'image':
    case 'audio':
      return typeof raw['data'] === 'string'
        ? {
            type: raw['type'],
            mediaType: textOf(raw['mimeType']) ?? 'application/octet-stream',
            data: decode(raw['data'], notes),
          }
        : undefined
    case 'resource':
      return isRecord(raw['resource']) ? readResource(raw['resource'], notes) : undefined
    case 'resource_link':
      return readLink(raw)
    default:
      return undefined
  }
}

function readResource(resource: JsonRecord, notes: string[]): ContentPart | undefined {
  const { uri, mimeType, text, blob } = resource
  if (typeof uri !== 'string') return undefined
  return {
    type: 'resource',
    uri: cleanText(uri),
    ...(typeof mimeType === 'string' ? { mediaType: cleanText(mimeType) } : {}),
    ...(typeof text === 'string' ? { text: clean(text, notes) } : {}),
    ...(typeof blob === 'string' ? { data: decode(blob, notes) } : {}),
  }
}

function readLink(raw: JsonRecord): ContentPart | undefined {
  const uri = textOf(raw['uri'])
  if (uri === undefined) return undefined
  const name = textOf(raw['name']) ?? textOf(raw['title'])
  const mediaType = textOf(raw['mimeType'])
  return {
    type: 'resource_link',
    uri,
    ...(name === undefined ? {} : { name }),
    ...(mediaType === undefined ? {} : { mediaType }),
  }
}

function clean(text: string, notes: string[]): string {
  const cleaned = cleanText(text)
  if (cleaned.length !== text.length) notes.push(hidden)
  return cleaned
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? cleanText(value) : undefined
}

/** Takes what real servers send: data URLs, the URL alphabet, line breaks, missing padding. */
function decode(text: string, notes: string[]): Uint8Array {
  const bare = /^data:[^,]*;base64,/.test(text) ? text.slice(text.indexOf(',') + 1) : text
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(bare) || bare.length % 4 !== 0)
    notes.push('base64 was repaired')
  return Buffer.from(bare, 'base64')
}
