import type { JsonSchema } from '@callgate/spec'

/** How a model sends a file: text, or bytes in base64. */
export const fileSchema: JsonSchema = {
  type: 'object',
  properties: {
    content: { type: 'string', description: 'The content, as text or in base64.' },
    encoding: {
      type: 'string',
      enum: ['utf8', 'base64'],
      description: 'How content is written; default utf8.',
    },
    filename: { type: 'string' },
    mediaType: { type: 'string' },
  },
  required: ['content'],
  additionalProperties: false,
}

/** A binary string: OpenAPI 3.0 `format`, 3.1 `contentMediaType`, Swagger 2.0 `type: file`. */
export function isBinary(node: Record<string, unknown>): boolean {
  if (node['type'] === 'file') return true
  if (node['type'] !== 'string') return false
  return (
    node['format'] === 'binary' ||
    (typeof node['contentMediaType'] === 'string' && node['contentEncoding'] === undefined)
  )
}
