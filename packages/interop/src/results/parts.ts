import type { ContentPart, ToolResult } from '@callgate/spec'

import { jsonText } from '../json-text.ts'
import { isObject, type JsonObject } from '../provider.ts'
import { errorText } from './error-text.ts'

/** A result, cut into what providers tell apart. */
export type ModelPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'json'; readonly value: JsonObject; readonly text: string }
  | MediaPart

export interface MediaPart {
  readonly kind: 'media'
  readonly mediaType: string
  readonly data: Uint8Array
}

/**
 * What the model sees of a result (R11.3): its content, or else its data as JSON text (text as it is); first what
 * went wrong, if anything did. Never empty, since providers refuse empty text.
 */
export function modelParts(result: ToolResult): readonly ModelPart[] {
  const content = result.content.flatMap(contentParts)
  const shown = content.length > 0 ? content : dataParts(result)
  const notice = noticeParts(result)
  if (result.status !== 'ok') {
    const said = shown.map((part) => (part.kind === 'media' ? '' : part.text)).join('\n')
    return [text(errorText(result, said)), ...shown, ...notice]
  }
  return [...(shown.length > 0 ? shown : [text('(no output)')]), ...notice]
}

/** What the gateway has to say to the model beside the result (R10.2). */
function noticeParts({ metadata }: ToolResult): ModelPart[] {
  return metadata.notice === undefined ? [] : [text(`[${metadata.notice}]`)]
}

function dataParts({ data, status }: ToolResult): ModelPart[] {
  if (data === undefined || (data === null && status !== 'ok')) return []
  if (typeof data === 'string') return textPart(data)
  const written = jsonText(data)
  if (written === undefined) return [text('(The result cannot be written as JSON.)')]
  return isObject(data) ? [{ kind: 'json', value: data, text: written }] : [text(written)]
}

function contentParts(part: ContentPart): ModelPart[] {
  if (!canBeRead(part)) return [text('[a part of the result that cannot be read]')]
  if (part.type === 'text') return textPart(part.text)
  if (part.type === 'resource_link') return [text(linkText(part))]
  if (part.type !== 'resource') return mediaPart(part.mediaType, part.data)
  if (part.text !== undefined) return [text(`${part.uri}\n${part.text}`)]
  if (part.data === undefined) return [text(`[resource ${part.uri}]`)]
  return mediaPart(part.mediaType ?? 'application/octet-stream', part.data)
}

const isText = (value: unknown): boolean => typeof value === 'string'
/** Bytes of whatever realm; base64 is none. */
const isBytes = (value: unknown): boolean => ArrayBuffer.isView(value) && 'subarray' in value

/** A part comes from a tool: a broken one must not cost the model the results of the whole turn. */
function canBeRead(part: unknown): part is ContentPart {
  if (!isObject(part)) return false
  const { type, uri, text: said, data, mediaType } = part
  if (type === 'text') return isText(said)
  if (type === 'resource_link') return isText(uri)
  if (type !== 'resource') return isText(mediaType) && isBytes(data)
  return (
    isText(uri) &&
    isText(said ?? '') &&
    isText(mediaType ?? '') &&
    (data === undefined || isBytes(data))
  )
}

function textPart(value: string): ModelPart[] {
  return value.trim() === '' ? [] : [text(value)]
}

function linkText(link: { uri: string; name?: string; mediaType?: string }): string {
  const kind = link.mediaType === undefined ? '' : ` (${link.mediaType})`
  return `[resource ${link.name === undefined ? '' : `${link.name}: `}${link.uri}${kind}]`
}

/** Half of a surrogate pair, left by a cut in the wrong place, makes providers refuse the whole request. */
function text(value: string): ModelPart {
  return { kind: 'text', text: value.replace(/\p{Surrogate}/gu, '\ufffd') }
}

/** Of applications those that @callgate/core takes for text too, where it cuts a result and takes secrets out. */
const textual =
  /^(text\/|application\/([^/]+\+)?(json|xml|yaml|x-yaml|javascript|ecmascript|x-www-form-urlencoded|x-ndjson|jsonl|graphql|toml|sql)$)/

function mediaPart(mediaType: string, data: Uint8Array): ModelPart[] {
  const type = mediaType.split(';', 1)[0]!.trim().toLowerCase()
  if (textual.test(type)) return textPart(new TextDecoder().decode(data))
  const part: MediaPart = { kind: 'media', mediaType: type, data }
  return [data.length === 0 ? text(mediaNote(part)) : part]
}

/** What stands in for media that a provider does not take in a result. */
export function mediaNote({ mediaType, data }: MediaPart): string {
  return `[${mediaType}, ${data.length} bytes: cannot be shown to the model here]`
}

/** Images that every provider takes. */
export const imageTypes: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
])
