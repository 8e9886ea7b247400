import type { ContentPart, Ports, ToolResult } from '@callgate/spec'

type Truncated = NonNullable<ToolResult['metadata']['truncated']>

export interface Capped {
  readonly data: unknown
  readonly content: readonly ContentPart[]
  readonly truncated?: Truncated
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Bytes of a text in UTF-8. */
function byteLength(text: string): number {
  return encoder.encode(text).byteLength
}

/**
 * The first and the last part of a text, together at most `maxBytes`, with a line between that says what is left
 * out. Cuts fall between characters (R11.2).
 */
function headAndTail(text: string, maxBytes: number): { text: string; keptBytes: number } {
  const bytes = encoder.encode(text)
  if (bytes.byteLength <= maxBytes) return { text, keptBytes: bytes.byteLength }
  const headEnd = backToBoundary(bytes, Math.ceil(maxBytes / 2))
  const tailStart = onToBoundary(bytes, bytes.byteLength - Math.floor(maxBytes / 2))
  const left = tailStart - headEnd
  const head = decoder.decode(bytes.subarray(0, headEnd))
  const tail = decoder.decode(bytes.subarray(tailStart))
  return {
    text: `${head}\n[… ${left} bytes left out …]\n${tail}`,
    keptBytes: bytes.byteLength - left,
  }
}

// In UTF-8 a byte of the form 10xxxxxx continues a character.
function backToBoundary(bytes: Uint8Array, at: number): number {
  let index = at
  while (index > 0 && (bytes[index]! & 0xc0) === 0x80) index--
  return index
}

function onToBoundary(bytes: Uint8Array, at: number): number {
  let index = at
  while (index < bytes.byteLength && (bytes[index]! & 0xc0) === 0x80) index++
  return index
}

/** A text this short cannot be over the cap, whatever its characters: at most three bytes for each UTF-16 unit. */
function surelyFits(content: readonly ContentPart[], maxBytes: number): boolean {
  let units = 0
  for (const part of content) units += textOf(part)?.length ?? 0
  return units * 3 <= maxBytes
}

function textOf(part: ContentPart): string | undefined {
  return part.type === 'text' || part.type === 'resource' ? part.text : undefined
}

/** Cuts what is too long for the model; the whole goes to a blob that can be paged through. */
export async function capResult(
  data: unknown,
  content: readonly ContentPart[],
  maxBytes: number,
  blobs: Ports['blobs'],
): Promise<Capped> {
  const texts = content.map((part) => textOf(part) ?? '')
  const sizes = texts.map(byteLength)
  const totalBytes = sizes.reduce((sum, size) => sum + size, 0)
  if (totalBytes <= maxBytes) return { data, content }
  const blobId = await spill(texts.filter((text) => text !== '').join('\n'), blobs)
  const shares = shareOut(sizes, maxBytes)
  let keptBytes = 0
  const capped = content.map((part, index) => {
    if (textOf(part) === undefined) return part
    const cut = headAndTail(texts[index]!, shares[index]!)
    keptBytes += cut.keptBytes
    return { ...part, text: cut.text }
  })
  const truncated = { keptBytes, totalBytes, ...(blobId === undefined ? {} : { blobId }) }
  return { data: capData(data, capped, maxBytes), content: capped, truncated }
}

export function needsNoCap(content: readonly ContentPart[], maxBytes: number): boolean {
  return surelyFits(content, maxBytes)
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

/** Text data is cut as its content is; a list keeps the leading entries that fit; else the cut text stands for it. */
function capData(data: unknown, capped: readonly ContentPart[], maxBytes: number): unknown {
  if (data === undefined || data === null) return data
  if (Array.isArray(data)) {
    let bytes = 2
    const end = data.findIndex((item) => (bytes += byteLength(JSON.stringify(item)) + 1) > maxBytes)
    return end === -1 ? data : data.slice(0, end)
  }
  const size = byteLength(typeof data === 'string' ? data : JSON.stringify(data))
  if (size <= maxBytes) return data
  return capped.map((part) => textOf(part) ?? '').join('\n')
}

async function spill(text: string, blobs: Ports['blobs']): Promise<string | undefined> {
  try {
    const blob = blobs.open({ mediaType: 'text/plain; charset=utf-8' })
    await blob.write(encoder.encode(text))
    return (await blob.close()).blobId
  } catch {
    // The whole cannot be kept; what is shown is still right.
    return undefined
  }
}
