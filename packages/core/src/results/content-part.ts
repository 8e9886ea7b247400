import type { ContentPart } from '@callgate/spec'

import { takeJson } from './json-safe.ts'
import type { Room } from './room.ts'

type Media = Extract<ContentPart, { readonly type: 'image' | 'audio' | 'file' }>
type Given = { readonly [key: string]: unknown }

/**
 * A copy of a part as everybody who shows it may rely on it: texts are text and media are bytes (also given as
 * Base64). What cannot be made to fit, or has no room, is a text that says so; what is no part at all is undefined.
 */
export function takePart(given: unknown, room: Room): ContentPart | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  const part = given as Given
  const taken = takeKnown(part, room)
  const { annotations } = part
  if (taken === undefined || typeof annotations !== 'object' || annotations === null) return taken
  return { ...taken, annotations: takeJson(annotations, room) as Given }
}

function takeKnown(part: Given, room: Room): ContentPart | undefined {
  const { type } = part
  switch (type) {
    case 'text':
      return { type, text: takeText(part['text'], room) }
    case 'image':
    case 'audio':
    case 'file':
      return takeMedia(part, type, room)
    case 'resource':
      return takeResource(part, room)
    case 'resource_link':
      return takeLink(part)
    default:
      return undefined
  }
}

// A text is taken whole: nobody walks through it, and it is cut where it is shown.
function takeText(value: unknown, room: Room): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(takeJson(value, room)) ?? '')
  room.left -= text.length
  return text
}

function takeMedia(part: Given, type: Media['type'], room: Room): ContentPart {
  const { mediaType } = part
  const data = takeBytes(part['data'], room)
  if (data === undefined) return cannotBeShown(type)
  if (data === 'too long') return tooLong(type)
  return {
    type,
    mediaType: isName(mediaType) ? mediaType : 'application/octet-stream',
    data,
  }
}

function takeResource({ uri, mediaType, text, data: given }: Given, room: Room): ContentPart {
  if (!isName(uri)) return cannotBeShown('resource')
  const data = takeBytes(given, room)
  if (data === 'too long' && text === undefined) return tooLong(`resource ${uri}`)
  return {
    type: 'resource',
    uri,
    ...(isName(mediaType) ? { mediaType } : {}),
    ...(text === undefined ? {} : { text: takeText(text, room) }),
    ...(typeof data === 'object' ? { data } : {}),
  }
}

function takeLink({ uri, name, mediaType }: Given): ContentPart {
  if (!isName(uri)) return cannotBeShown('resource_link')
  return {
    type: 'resource_link',
    uri,
    ...(isName(name) ? { name } : {}),
    ...(isName(mediaType) ? { mediaType } : {}),
  }
}

/** A copy, since the buffer is the tool's; undefined where there are no bytes. */
function takeBytes(given: unknown, room: Room): Uint8Array | 'too long' | undefined {
  const bytes = typeof given === 'string' ? fromBase64(given, room) : viewOf(given)
  if (typeof bytes !== 'object') return bytes
  if (bytes.byteLength > room.left) {
    room.isCut = true
    return 'too long'
  }
  room.left -= bytes.byteLength
  // Not `slice`, which in a subclass may be a view on the same memory.
  return typeof given === 'string' ? bytes : new Uint8Array(bytes)
}

function viewOf(given: unknown): Uint8Array | undefined {
  if (given instanceof ArrayBuffer) return new Uint8Array(given)
  if (!ArrayBuffer.isView(given)) return undefined
  return new Uint8Array(given.buffer, given.byteOffset, given.byteLength)
}

/** Also as the URL of the data. */
function fromBase64(text: string, room: Room): Uint8Array | 'too long' | undefined {
  if ((text.length / 4) * 3 > room.left + 1024) {
    room.isCut = true
    return 'too long'
  }
  try {
    const digits = text.replace(/^data:[^,]{0,200};base64,/, '')
    return Uint8Array.from(atob(digits), (character) => character.codePointAt(0)!)
  } catch {
    return undefined
  }
}

/** Names are shown whole, so they must be short: URIs, types. */
const maxNameLength = 8192

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxNameLength
}

function cannotBeShown(type: string): ContentPart {
  return { type: 'text', text: `[a part of the type ${type} that cannot be shown]` }
}

function tooLong(what: string): ContentPart {
  return { type: 'text', text: `[${what}: too long to be shown]` }
}
