import { base64 } from './base64.ts'
import { imageTypes, mediaNote, type MediaPart, type ModelPart } from './parts.ts'

/** A `tool_result` block; all of a turn go into one user message. */
export function anthropicResult(id: string, parts: readonly ModelPart[], failed: boolean): unknown {
  // Beside `is_error` the provider refuses all but text, and with it the whole request.
  const media = failed ? (part: MediaPart) => textBlock(mediaNote(part)) : mediaBlock
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: parts.map((part) => (part.kind === 'media' ? media(part) : textBlock(part.text))),
    ...(failed ? { is_error: true } : {}),
  }
}

function textBlock(text: string): unknown {
  return { type: 'text', text }
}

function mediaBlock(part: MediaPart): unknown {
  const { mediaType } = part
  const image = imageTypes.has(mediaType)
  if (!image && mediaType !== 'application/pdf') return textBlock(mediaNote(part))
  return {
    type: image ? 'image' : 'document',
    source: { type: 'base64', media_type: mediaType, data: base64(part.data) },
  }
}
