import type { AdapterOutput, ContentPart } from '@callgate/spec'

import { takePart } from './content-part.ts'
import { takeJson } from './json-safe.ts'
import { hasRoom, newRoom, type Room } from './room.ts'
import { describeSparse, isSparse } from './sparse.ts'

export interface Shaped {
  readonly data: unknown
  readonly content: readonly ContentPart[]
  /** Whether the content was made of the data, so that the one is as long as the other. */
  readonly isMade?: boolean
}

/** More parts than this are no content that a model is shown piece by piece. */
const maxParts = 1000

/**
 * Data and content of an output (R11.1): each is made from the other where only one came. Both are copies: what a tool
 * does later to what it gave changes no result. What is beyond the bounds of a result is left out, and a note says so.
 */
export function shapeOutput(output: AdapterOutput): Shaped {
  const { parts, notes } = takeContent(output.content)
  const content = notes.length === 0 ? parts : [...parts, ...notes]
  if (output.data === undefined && content.length > 0) return { data: textOf(parts), content }
  const { data: given = null } = output
  if (typeof given !== 'object' || given === null) {
    const data = typeof given === 'string' ? given : takeJson(given, newRoom())
    return { data, content: content.length > 0 ? content : contentOf(data) }
  }
  const room = newRoom()
  const data = takeJson(given, room)
  const isMade = content.length === 0
  const shown = isMade ? contentOf(data) : content
  return { data, content: room.isCut ? [...shown, beyondBounds()] : shown, isMade }
}

/** What stands at the end of content of which not all was taken. */
const beyondBoundsText =
  '[the tool gave more than 16 MiB, 500,000 values or 1,000 parts: what is beyond is left out; ask it for less at once]'

function beyondBounds(): ContentPart {
  return { type: 'text', text: beyondBoundsText }
}

/** Whether not all of what the tool gave was taken. */
export function isBeyondBounds(content: readonly ContentPart[]): boolean {
  const last = content.at(-1)
  return last?.type === 'text' && last.text === beyondBoundsText
}

interface Taken {
  readonly parts: readonly ContentPart[]
  /** What there is to say of the parts that are not there. */
  readonly notes: readonly ContentPart[]
}

const nothing: Taken = { parts: [], notes: [] }

function takeContent(content: unknown): Taken {
  if (content === undefined || content === null) return nothing
  if (!Array.isArray(content)) throw new TypeError(`content is no list: ${typeof content}`)
  if (isSparse(content)) throw new TypeError(`content is ${describeSparse(content)}`)
  const room = newRoom()
  const parts: ContentPart[] = []
  let unknown = 0
  for (let place = 0; place < content.length && hasRoom(room); place++) {
    const part = takePart(content[place], room)
    if (part === undefined) unknown++
    else parts.push(part)
  }
  const kept = fewer(parts, room)
  const notes: ContentPart[] = []
  if (unknown > 0) notes.push({ type: 'text', text: unknownNote(unknown) })
  if (room.isCut) notes.push(beyondBounds())
  return { parts: kept, notes }
}

function unknownNote(count: number): string {
  return count === 1
    ? '[a part of content of an unknown type is left out]'
    : `[${count} parts of content of unknown types are left out]`
}

/** Where there are too many parts, texts that follow each other are one. */
function fewer(parts: ContentPart[], room: Room): ContentPart[] {
  if (parts.length <= maxParts) return parts
  const joined: ContentPart[] = []
  let texts: string[] = []
  const close = (): void => {
    if (texts.length > 0) joined.push({ type: 'text', text: texts.join('\n') })
    texts = []
  }
  for (const part of parts) {
    if (part.type === 'text') texts.push(part.text)
    else {
      close()
      joined.push(part)
    }
  }
  close()
  if (joined.length > maxParts) room.isCut = true
  return joined.slice(0, maxParts)
}

/** How data looks as text: text as it is, everything else as JSON. */
export function contentOf(data: unknown): readonly ContentPart[] {
  if (data === null || data === undefined) return []
  return [{ type: 'text', text: typeof data === 'string' ? data : writtenJson(data) }]
}

/** A text of this length is not written again. */
const keptLength = 10_000
const written = new WeakMap<object, string>()

/** A value as JSON text; a long one, which nobody changes any more, is written once. */
export function writtenJson(data: unknown): string {
  if (typeof data !== 'object' || data === null) return JSON.stringify(data) ?? 'null'
  const known = written.get(data)
  if (known !== undefined) return known
  const text = JSON.stringify(data)
  if (text.length >= keptLength) written.set(data, text)
  return text
}

/** The joined text of the parts; null where there is none. */
function textOf(content: readonly ContentPart[]): string | null {
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return texts.length === 0 ? null : texts.join('\n')
}
