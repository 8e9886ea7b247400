import type { ContentPart, ToolResult } from '@callgate/spec'

import { contentOf, isBeyondBounds, writtenJson, type Shaped } from './content.ts'
import { cutData } from './cut-data.ts'
import { byteLength, headAndTail } from './cut-text.ts'
import { inLines } from './in-lines.ts'
import { jsonSize } from './json-size.ts'
import { textOfPart, unitsOfPart, withText } from './part-text.ts'
import { shareOut } from './share-out.ts'

type Truncated = NonNullable<ToolResult['metadata']['truncated']>

export interface Capped extends Shaped {
  readonly truncated?: Truncated
}

export interface CapSettings {
  readonly maxBytes: number
  /** What the turn is about: lists are cut to what matters for it. */
  readonly task: string | undefined
  /** In place of `cutData`, for data of another kind. */
  readonly cut?: typeof cutData
  /** Keeps the whole; gives its id where it could. */
  readonly keep: (text: string) => Promise<string | undefined>
}

/** What is this short cannot be over the cap, whatever its characters: at most three bytes for each UTF-16 unit. */
export function surelyFits({ data, content, isMade }: Shaped, maxBytes: number): boolean {
  let units = 0
  for (const part of content) units += unitsOfPart(part)
  if (units * 3 > maxBytes || isBeyondBounds(content)) return false
  if (typeof data === 'string') return data.length * 3 <= maxBytes
  return typeof data !== 'object' || data === null || isMade === true || isSmall(data, maxBytes)
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

interface Cut extends Shaped {
  readonly keptBytes: number
}

/**
 * Cuts what is too long for the model (R11.2): a list to the entries that matter, text to head and tail, other data so
 * that it stays what it is. The whole goes to a blob that the model can page through.
 */
export async function capResult(shaped: Shaped, settings: CapSettings): Promise<Capped> {
  const { maxBytes } = settings
  const measured = measure(shaped, maxBytes)
  const { textBytes, dataBytes } = measured
  const isLong = textBytes > maxBytes || dataBytes > maxBytes
  if (!isLong) {
    const truncated = { keptBytes: textBytes, totalBytes: textBytes }
    return isBeyondBounds(shaped.content) ? { ...shaped, truncated } : shaped
  }
  const { whole, totalBytes } = wholeOf(shaped, measured, maxBytes)
  const blobId = await settings.keep(whole)
  const { data, content, keptBytes } = cutResult(shaped, measured, settings)
  return {
    data,
    content: [...content, { type: 'text', text: noteOn(blobId, totalBytes) }],
    truncated: { keptBytes, totalBytes, ...(blobId === undefined ? {} : { blobId }) },
  }
}

function noteOn(blobId: string | undefined, totalBytes: number): string {
  return blobId === undefined
    ? `[the whole, ${totalBytes} bytes, could not be kept: what is left out is lost; ask the tool for less at once, by a filter, a range or a page]`
    : `[the whole, ${totalBytes} bytes, is kept: read it by parts with result_read, blob "${blobId}"]`
}

interface Measured {
  /** Of each part; empty for media. */
  readonly texts: readonly string[]
  /** In bytes. */
  readonly sizes: readonly number[]
  readonly textBytes: number
  /** 0 where the content is the data; beyond the cap some number that is. */
  readonly dataBytes: number
  /** Whether the first part is nothing but the data as JSON or text, and the others are short notes. */
  readonly isOwn: boolean
}

function measureTexts(content: readonly ContentPart[]): Pick<Measured, 'texts' | 'sizes'> {
  const texts = content.map((part) => textOfPart(part) ?? '')
  return { texts, sizes: texts.map(byteLength) }
}

/** Together this long may be what stands beside the text of the data. */
const maxNoteBytes = 1024

function measure({ data, content }: Shaped, maxBytes: number): Measured {
  const { texts, sizes } = measureTexts(content)
  const textBytes = sizes.reduce((sum, size) => sum + size, 0)
  const isOwn = isTextOf(data, texts[0]) && textBytes - sizes[0]! <= maxNoteBytes
  const hasData = !isOwn && data !== null && data !== undefined
  return {
    texts,
    sizes,
    textBytes,
    dataBytes: hasData ? jsonSize(data, maxBytes) : 0,
    isOwn,
  }
}

function isTextOf(data: unknown, text: string | undefined): boolean {
  if (text === undefined || data === undefined || data === null) return false
  return typeof data === 'string' ? data === text : /^[[{]/.test(text) && text === writtenJson(data)
}

/** All that is kept, as text by lines, or who reads it by lines would get it at once. */
function wholeOf(
  { data }: Shaped,
  { texts, textBytes, dataBytes, isOwn }: Measured,
  maxBytes: number,
): { readonly whole: string; readonly totalBytes: number } {
  if (isOwn) return { whole: inLines(data), totalBytes: textBytes }
  const said = texts.filter((text) => text !== '')
  // What the texts say of the data is no copy of it.
  if (dataBytes <= maxBytes || data === texts.join('\n'))
    return { whole: said.join('\n'), totalBytes: textBytes }
  return {
    whole: [...said, inLines(data)].join('\n'),
    totalBytes: textBytes + byteLength(writtenJson(data)),
  }
}

function cutResult(shaped: Shaped, measured: Measured, settings: CapSettings): Cut {
  const { data, content } = shaped
  const { maxBytes, task, cut = cutData } = settings
  if (measured.isOwn) {
    const own = cutOwnText(data, measured.sizes[0]!, settings)
    return { ...own, content: [...own.content, ...content.slice(1)] }
  }
  return {
    ...cutTexts(content, measured, maxBytes),
    data: cut(data, measured.dataBytes, maxBytes, task),
  }
}

function cutOwnText(
  data: unknown,
  size: number,
  { maxBytes, task, cut = cutData }: CapSettings,
): Cut {
  if (typeof data === 'string') {
    const { text, keptBytes } = headAndTail(data, maxBytes, size)
    return { data: text, content: contentOf(text), keptBytes }
  }
  const kept = cut(data, size, maxBytes, task)
  const content = contentOf(kept)
  const keptBytes = byteLength(writtenJson(kept))
  if (!Array.isArray(data) || !Array.isArray(kept)) return { data: kept, content, keptBytes }
  const choice = task === undefined ? 'the first that fit' : 'those that fit the task best'
  const note = `[${kept.length} of ${data.length} entries, ${choice}]`
  return { data: kept, content: [...content, { type: 'text', text: note }], keptBytes }
}

function cutTexts(
  content: readonly ContentPart[],
  { texts, sizes }: Measured,
  maxBytes: number,
): Omit<Cut, 'data'> {
  const shares = shareOut(sizes, maxBytes)
  let keptBytes = 0
  const cut = content.map((part, index) => {
    const kept = headAndTail(texts[index]!, shares[index]!, sizes[index]!)
    keptBytes += kept.keptBytes
    return kept.text === texts[index] ? part : withText(part, kept.text)
  })
  return { content: cut, keptBytes }
}
