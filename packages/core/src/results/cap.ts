import type { ContentPart, ToolResult } from '@callgate/spec'

import { contentOf, type Shaped } from './content.ts'
import { cutList } from './cut-list.ts'
import { byteLength, headAndTail } from './cut-text.ts'

type Truncated = NonNullable<ToolResult['metadata']['truncated']>

export interface Capped extends Shaped {
  readonly truncated?: Truncated
}

export interface CapSettings {
  readonly maxBytes: number
  /** What the turn is about: lists are cut to what matters for it. */
  readonly task: string | undefined
  /** Keeps the whole; gives its id where it could. */
  readonly keep: (text: string) => Promise<string | undefined>
}

/** A text this short cannot be over the cap, whatever its characters: at most three bytes for each UTF-16 unit. */
export function surelyFits(content: readonly ContentPart[], maxBytes: number): boolean {
  let units = 0
  for (const part of content) units += textOf(part)?.length ?? 0
  return units * 3 <= maxBytes
}

function textOf(part: ContentPart): string | undefined {
  return part.type === 'text' || part.type === 'resource' ? part.text : undefined
}

/**
 * Cuts what is too long for the model (R11.2): a list to the entries that matter, text to head and tail. The whole goes
 * to a blob that the model can page through.
 */
export async function capResult({ data, content }: Shaped, settings: CapSettings): Promise<Capped> {
  const { maxBytes, task, keep } = settings
  const texts = content.map((part) => textOf(part) ?? '')
  const sizes = texts.map(byteLength)
  const totalBytes = sizes.reduce((sum, size) => sum + size, 0)
  if (totalBytes <= maxBytes) return { data, content }
  const blobId = await keep(texts.filter((text) => text !== '').join('\n'))
  const cut = isItsOwnText(data, texts)
    ? cutListResult(data, maxBytes, task)
    : cutTexts({ data, content }, sizes, maxBytes)
  const truncated = {
    keptBytes: cut.keptBytes,
    totalBytes,
    ...(blobId === undefined ? {} : { blobId }),
  }
  return {
    data: cut.data,
    content:
      blobId === undefined ? cut.content : [...cut.content, pagingNotice(blobId, totalBytes)],
    truncated,
  }
}

interface Cut extends Shaped {
  readonly keptBytes: number
}

/** Whether the content is nothing but the list as JSON. */
function isItsOwnText(data: unknown, texts: readonly string[]): data is readonly unknown[] {
  return Array.isArray(data) && texts.length === 1 && texts[0]!.startsWith('[')
}

function cutListResult(data: readonly unknown[], maxBytes: number, task: string | undefined): Cut {
  const kept = cutList(data, maxBytes, task)
  // One entry alone is too long: cut it as text.
  if (kept.length === 0) {
    const content = contentOf(data)
    return cutTexts({ data, content }, [byteLength(JSON.stringify(data))], maxBytes)
  }
  const choice = task === undefined ? 'the first that fit' : 'those that fit the task best'
  const content: ContentPart[] = [
    ...contentOf(kept),
    { type: 'text', text: `[${kept.length} of ${data.length} entries, ${choice}]` },
  ]
  return { data: kept, content, keptBytes: byteLength(JSON.stringify(kept)) }
}

function cutTexts({ data, content }: Shaped, sizes: readonly number[], maxBytes: number): Cut {
  const shares = shareOut(sizes, maxBytes)
  let keptBytes = 0
  const cut = content.map((part, index) => {
    const text = textOf(part)
    if (text === undefined) return part
    const kept = headAndTail(text, shares[index]!)
    keptBytes += kept.keptBytes
    return { ...part, text: kept.text }
  })
  return { data: cutData(data, cut, maxBytes), content: cut, keptBytes }
}

/** Small parts keep all they have; the rest is shared evenly among the large ones. */
function shareOut(sizes: readonly number[], maxBytes: number): readonly number[] {
  const shares = sizes.map(() => 0)
  const order = sizes.map((_, index) => index).toSorted((a, b) => sizes[a]! - sizes[b]!)
  let left = maxBytes
  for (const [place, index] of order.entries()) {
    const share = Math.min(sizes[index]!, Math.floor(left / (order.length - place)))
    shares[index] = share
    left -= share
  }
  return shares
}

/** Data that is too long itself is replaced by the cut text; what stands beside long content stays. */
function cutData(data: unknown, cut: readonly ContentPart[], maxBytes: number): unknown {
  if (data === undefined || data === null) return data
  const size = byteLength(typeof data === 'string' ? data : JSON.stringify(data))
  return size <= maxBytes ? data : cut.map((part) => textOf(part) ?? '').join('\n')
}

function pagingNotice(blobId: string, totalBytes: number): ContentPart {
  return {
    type: 'text',
    text: `[the whole, ${totalBytes} bytes, is kept: read it by parts with result_read, blob "${blobId}"]`,
  }
}
