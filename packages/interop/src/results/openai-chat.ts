import { mediaNote, type ModelPart } from './parts.ts'

/** `{role: 'tool'}`: text only; there is no flag for a failure, the text says it. */
export function openAiChatResult(id: string, parts: readonly ModelPart[]): unknown {
  const content = parts
    .map((part) => (part.kind === 'media' ? mediaNote(part) : part.text))
    .join('\n')
  return { role: 'tool', tool_call_id: id, content }
}
