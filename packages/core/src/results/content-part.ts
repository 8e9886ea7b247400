import type { ContentPart } from '@callgate/spec'

import { jsonSafe } from './json-safe.ts'

/**
 * A part as everybody who shows it may rely on it: the same where it fits; texts are text and media are bytes (also
 * given as Base64). What cannot be made to fit is a text that says so; what is no part at all is undefined.
 */
export function fitPart(given: unknown): ContentPart | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  const part = given as { readonly [key: string]: unknown }
  switch (part['type']) {
    case 'text':
      return typeof part['text'] === 'string'
        ? (given as ContentPart)
        : { type: 'text', text: asText(part['text']) }
    case 'image':
    case 'audio':
    case 'file':
      return fitMedia(part, part['type'])
    case 'resource':
    case 'resource_link':
      return fitResource(part, part['type'])
    default:
      return undefined
  }
}

function fitMedia(
  part: { readonly [key: string]: unknown },
  type: 'image' | 'audio' | 'file',
): ContentPart {
  const { data, mediaType } = part
  if (data instanceof Uint8Array && typeof mediaType === 'string') return part as ContentPart
  const bytes = bytesOf(data)
  if (bytes === undefined) return cannotBeShown(type)
  const fallback = 'application/octet-stream'
  return {
    ...part,
    type,
    data: bytes,
    mediaType: typeof mediaType === 'string' ? mediaType : fallback,
  }
}

function fitResource(
  part: { readonly [key: string]: unknown },
  type: 'resource' | 'resource_link',
): ContentPart {
  const { uri, text, data } = part
  if (typeof uri !== 'string') return cannotBeShown(type)
  const fits =
    (text === undefined || typeof text === 'string') &&
    (data === undefined || data instanceof Uint8Array)
  if (fits) return part as ContentPart
  const { text: _, data: __, ...rest } = part
  const bytes = bytesOf(data)
  return {
    ...rest,
    type: 'resource',
    uri,
    ...(text === undefined ? {} : { text: asText(text) }),
    ...(bytes === undefined ? {} : { data: bytes }),
  }
}

function bytesOf(data: unknown): Uint8Array | undefined {
  if (data instanceof Uint8Array) return data
  if (data instanceof ArrayBuffer) return new Uint8Array(data)
  if (typeof data !== 'string') return undefined
  try {
    return Uint8Array.from(atob(data), (character) => character.codePointAt(0)!)
  } catch {
    return undefined
  }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(jsonSafe(value)) ?? '')
}

function cannotBeShown(type: string): ContentPart {
  return { type: 'text', text: `[a part of the type ${type} that cannot be shown]` }
}
