import type { ContentPart } from '@callgate/spec'

import { isTextType } from './text-types.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Whether the bytes of a part are a text, which a model is shown as such. */
export function hasTextBytes(
  part: object,
): part is { readonly mediaType: string; readonly data: Uint8Array } {
  const { mediaType, data } = part as { mediaType?: unknown; data?: unknown }
  return data instanceof Uint8Array && typeof mediaType === 'string' && isTextType(mediaType)
}

export function decodeText(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

export function encodeText(text: string): Uint8Array {
  return encoder.encode(text)
}

/** The text of a part that a model reads: its own, or that of its bytes; undefined for media. */
export function textOfPart(part: ContentPart): string | undefined {
  if (part.type === 'text') return part.text
  if ('text' in part && part.text !== undefined) return part.text
  return hasTextBytes(part) ? decodeText(part.data) : undefined
}

/** At most so many UTF-16 units has the text of a part; 0 for media. */
export function unitsOfPart(part: ContentPart): number {
  if (part.type === 'text') return part.text.length
  if ('text' in part && part.text !== undefined) return part.text.length
  return hasTextBytes(part) ? part.data.byteLength : 0
}

/** The same part with another text where it had one. */
export function withText(part: ContentPart, text: string): ContentPart {
  if (part.type === 'text' || ('text' in part && part.text !== undefined)) return { ...part, text }
  return { ...part, data: encodeText(text) } as ContentPart
}
