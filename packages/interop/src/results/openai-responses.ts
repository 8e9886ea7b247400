import { base64 } from './base64.ts'
import { imageTypes, mediaNote, type MediaPart, type ModelPart } from './parts.ts'

type OutputPart =
  | { readonly type: 'input_text'; readonly text: string }
  | { readonly type: 'input_image'; readonly image_url: string }
  | { readonly type: 'input_file'; readonly filename: string; readonly file_data: string }

/** `function_call_output`: text where there is nothing else, else parts. */
export function openAiResponsesResult(id: string, parts: readonly ModelPart[]): unknown {
  const written = parts.map(outputPart)
  const texts = written.flatMap((part) => (part.type === 'input_text' ? [part.text] : []))
  const output = texts.length === written.length ? texts.join('\n') : written
  return { type: 'function_call_output', call_id: id, output }
}

function outputPart(part: ModelPart): OutputPart {
  if (part.kind !== 'media') return { type: 'input_text', text: part.text }
  if (imageTypes.has(part.mediaType)) return { type: 'input_image', image_url: dataUrl(part) }
  if (part.mediaType === 'application/pdf') {
    return { type: 'input_file', filename: 'result.pdf', file_data: dataUrl(part) }
  }
  return { type: 'input_text', text: mediaNote(part) }
}

function dataUrl({ mediaType, data }: MediaPart): string {
  return `data:${mediaType};base64,${base64(data)}`
}
