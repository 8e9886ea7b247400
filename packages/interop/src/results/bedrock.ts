import { imageTypes, mediaNote, type MediaPart, type ModelPart } from './parts.ts'

/**
 * A `toolResult` block; all of a turn go into one user message. Bytes stay bytes, as the AWS SDK wants them. `json`
 * is used for objects alone: Converse refuses every other value there.
 */
export function bedrockResult(id: string, parts: readonly ModelPart[], failed: boolean): unknown {
  return {
    toolResult: {
      toolUseId: id,
      content: parts.map((part, index) => block(part, `${id}-${index}`)),
      status: failed ? 'error' : 'success',
    },
  }
}

function block(part: ModelPart, name: string): unknown {
  if (part.kind === 'text') return { text: part.text }
  if (part.kind === 'json') return { json: part.value }
  return mediaBlock(part, name)
}

const documents: { readonly [mediaType: string]: string } = {
  'application/pdf': 'pdf',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
}

function mediaBlock(part: MediaPart, name: string): unknown {
  const { mediaType, data } = part
  const source = { bytes: data }
  if (imageTypes.has(mediaType))
    return { image: { format: mediaType.slice('image/'.length), source } }
  const format = Object.hasOwn(documents, mediaType) ? documents[mediaType] : undefined
  if (format === undefined) return { text: mediaNote(part) }
  // A name is required, may hold no underscore, and must not come twice in a request.
  return { document: { format, name: `result-${name}`.replace(/[^a-zA-Z0-9-]/g, '-'), source } }
}
