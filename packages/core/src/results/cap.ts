import type { ContentPart, ToolResult } from '@callgate/spec'

import { contentOf, type Shaped } from './content.ts'
import { cutData, sizeOf } from './cut-data.ts'
import { byteLength, headAndTail } from './cut-text.ts'
import { shareOut } from './share-out.ts'

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

/** What is this short cannot be over the cap, whatever its characters: at most three bytes for each UTF-16 unit. */
export function surelyFits({ data, content }: Shaped, maxBytes: number): boolean {
  let units = 0
  for (const part of content) units += textOf(part)?.length ?? 0
  if (units * 3 > maxBytes) return false
  if (typeof data === 'string') return data.length * 3 <= maxBytes
  return typeof data !== 'object' || data === null || isJsonText(content) || isSmall(data, maxBytes)
}

/** Content of which the data was made, or that was made of the data, is as long as it. */
function isJsonText(content: readonly ContentPart[]): boolean {
  const text = content.length === 1 ? textOf(content[0]!) : undefined
  if (text === undefined) return false
  return (
    (text.startsWith('{') && text.endsWith('}')) || (text.startsWith('[') && text.endsWith(']'))
  )
}

/** Looks no further than the cap. */
function isSmall(data: object, maxBytes: number): boolean {
  let left = maxBytes
  const walk = (value: unknown): boolean => {
    if (typeof value === 'string') left -= value.length * 3 + 2
    else if (typeof value !== 'object' || value === null) left -= 24
    else {
      left -= 2
      for (const key in value) {
        left -= key.length * 3 + 4
        if (left < 0 || !walk((value as Record<string, unknown>)[key])) return false
      }
    }
    return left >= 0
  }
  return walk(data)
}

function textOf(part: ContentPart): string | undefined {
  return part.type === 'text' || part.type === 'resource' ? part.text : undefined
}

interface Cut extends Shaped {
  readonly keptBytes: number
}

/**
 * Cuts what is too long for the model (R11.2): a list to the entries that matter, text to head and tail, other data so
 * that it stays what it is. The whole goes to a blob that the model can page through.
 */
export async function capResult(shaped: Shaped, settings: CapSettings): Promise<Capped> {
  const { data, content } = shaped
  const { maxBytes, task, keep } = settings
  const measured = measure(shaped)
  const { texts, sizes, textBytes, dataBytes, isOwn } = measured
  if (textBytes <= maxBytes && dataBytes <= maxBytes) return shaped
  // What the texts say of the data is no copy of it.
  const isDataLost = dataBytes > maxBytes && data !== texts.join('\n')
  const whole = isOwn ? [data] : [...texts, ...(isDataLost ? [data] : [])]
  const blobId = await keep(
    whole
      .filter((part) => part !== '')
      .map(asLines)
      .join('\n'),
  )
  const totalBytes = textBytes + (isDataLost ? dataBytes : 0)
  const cut = isOwn
    ? cutOwnText(data, maxBytes, task)
    : { ...cutTexts(content, sizes, maxBytes), data: cutData(data, maxBytes, task) }
  const { keptBytes } = cut
  if (blobId === undefined) return { ...shownOf(cut), truncated: { keptBytes, totalBytes } }
  return {
    data: cut.data,
    content: [...cut.content, pagingNotice(blobId, totalBytes)],
    truncated: { keptBytes, totalBytes, blobId },
  }
}

function shownOf({ data, content }: Shaped): Shaped {
  return { data, content }
}

interface Measured {
  readonly texts: readonly string[]
  readonly sizes: readonly number[]
  readonly textBytes: number
  /** 0 where the content is the data. */
  readonly dataBytes: number
  readonly isOwn: boolean
}

function measure({ data, content }: Shaped): Measured {
  const texts = content.map((part) => textOf(part) ?? '')
  const sizes = texts.map(byteLength)
  const isOwn = isItsOwnText(data, texts)
  return {
    texts,
    sizes,
    textBytes: sizes.reduce((sum, size) => sum + size, 0),
    dataBytes: isOwn || data === null || data === undefined ? 0 : sizeOf(data),
    isOwn,
  }
}

/** JSON in lines, or who reads it by lines would get all at once. */
function asLines(part: unknown): string {
  return typeof part === 'string' ? part : JSON.stringify(part, null, 2)
}

/** Whether the content is nothing but the data as JSON or text. */
function isItsOwnText(data: unknown, texts: readonly string[]): boolean {
  const [text = ''] = texts
  if (texts.length !== 1 || data === undefined || data === null) return false
  return typeof data === 'string'
    ? data === text
    : /^[[{]/.test(text) && text === JSON.stringify(data)
}

function cutOwnText(data: unknown, maxBytes: number, task: string | undefined): Cut {
  if (typeof data === 'string') {
    const { text, keptBytes } = headAndTail(data, maxBytes)
    return { data: text, content: contentOf(text), keptBytes }
  }
  const kept = cutData(data, maxBytes, task)
  const content = contentOf(kept)
  const keptBytes = sizeOf(kept)
  if (!Array.isArray(data) || !Array.isArray(kept)) return { data: kept, content, keptBytes }
  const choice = task === undefined ? 'the first that fit' : 'those that fit the task best'
  const note = `[${kept.length} of ${data.length} entries, ${choice}]`
  return { data: kept, content: [...content, { type: 'text', text: note }], keptBytes }
}

function cutTexts(
  content: readonly ContentPart[],
  sizes: readonly number[],
  maxBytes: number,
): Omit<Cut, 'data'> {
  const shares = shareOut(sizes, maxBytes)
  let keptBytes = 0
  const cut = content.map((part, index) => {
    const text = textOf(part)
    if (text === undefined) return part
    const kept = headAndTail(text, shares[index]!)
    keptBytes += kept.keptBytes
    return { ...part, text: kept.text }
  })
  return { content: cut, keptBytes }
}

function pagingNotice(blobId: string, totalBytes: number): ContentPart {
  return {
    type: 'text',
    text: `[the whole, ${totalBytes} bytes, is kept: read it by parts with result_read, blob "${blobId}"]`,
  }
}
