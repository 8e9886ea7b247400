import type { AdapterOutput, ContentPart } from '@callgate/spec'

import { fitPart } from './content-part.ts'
import { jsonSafe } from './json-safe.ts'
import { describeSparse, isSparse } from './sparse.ts'

export interface Shaped {
  readonly data: unknown
  readonly content: readonly ContentPart[]
}

/** Data and content of an output (R11.1): each is made from the other where only one came. */
export function shapeOutput(output: AdapterOutput): Shaped {
  const content = output.content === undefined ? [] : partsOf(output.content)
  if (output.data === undefined && content.length > 0) return { data: textOf(content), content }
  const data = jsonSafe(output.data ?? null)
  return { data, content: content.length > 0 ? content : contentOf(data) }
}

function partsOf(content: readonly ContentPart[]): readonly ContentPart[] {
  if (isSparse(content)) throw new TypeError(`content is ${describeSparse(content)}`)
  return content.flatMap((part) => fitPart(part) ?? [])
}

/** How data looks as text: text as it is, everything else as JSON. */
export function contentOf(data: unknown): readonly ContentPart[] {
  if (data === null || data === undefined) return []
  return [{ type: 'text', text: typeof data === 'string' ? data : JSON.stringify(data) }]
}

/** The joined text of the parts; null where there is none. */
function textOf(content: readonly ContentPart[]): string | null {
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return texts.length === 0 ? null : texts.join('\n')
}
