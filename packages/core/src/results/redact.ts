import { define } from './copy-json.ts'
import { takeJson } from './json-safe.ts'
import { decodeText, encodeText, hasTextBytes } from './part-text.ts'
import { hasRoom, newRoom, type Room } from './room.ts'
import {
  asBytes,
  formsOf,
  maxFormBytes,
  noForms,
  placeOfBeginning,
  withoutForms,
  type SecretForms,
} from './secret-forms.ts'

/** What stands in place of a secret. */
export const mask = '[redacted]'
/** A shorter secret would be found in harmless text everywhere. */
const shortest = 8
/** Deeper than this no value is looked at, nor shown. */
const maxDepth = 250

/** Takes the secrets that went through the gateway out of what a model, a log or the audit gets. */
export interface Redactor {
  /** Remembers a value that must never be shown; false where it is too short for that and its name is new. */
  learn(secret: string, name: string): boolean
  text(text: string): string
  /** The place in a text from which the beginning of a secret may stand at its end; its length where none does. */
  open(text: string): number
  /** The same bytes where they hold no secret, else a copy with the character `fill` for each byte of one. */
  bytes(bytes: Uint8Array, fill: string): Uint8Array
  /** The most bytes that a secret takes in any form; 0 where there is none. */
  reach(): number
  /** The same value where it holds no secret, else a copy without. */
  value(value: unknown): unknown
  /**
   * For a log, which shows of every kind of object what is in it. Once there are secrets: a copy as JSON can carry it,
   * in which errors stay errors, without them.
   */
  logged(value: unknown): unknown
}

export function createRedactor(): Redactor {
  let secrets: ReadonlyMap<string, SecretForms> = new Map()
  const text = (original: string, fill?: string): string => {
    if (original.length < shortest) return original
    const hide = (found: string): string => fill?.repeat(found.length) ?? mask
    let clean = original
    for (const forms of secrets.values()) clean = withoutForms(clean, forms, hide)
    return clean
  }
  const bytes = (original: Uint8Array, fill: string): Uint8Array => {
    const seen = asBytes(original)
    const clean = text(seen, fill)
    return clean === seen ? original : original.map((_, at) => clean.charCodeAt(at))
  }
  const textBytes = (original: Uint8Array): Uint8Array => {
    const decoded = decodeText(original)
    const clean = text(decoded)
    return clean === decoded ? original : encodeText(clean)
  }
  const clean = (original: unknown, depth: number, room: Room): unknown => {
    if (typeof original === 'string') return text(original)
    if (typeof original !== 'object' || original === null) return original
    // Other bytes are media: as long as before, or offsets in them would be wrong.
    if (original instanceof Uint8Array) return bytes(original, '*')
    if (ArrayBuffer.isView(original)) return original
    if (depth >= maxDepth || !hasRoom(room)) return '[left out]'
    if (Array.isArray(original)) return mapList(original, (part) => clean(part, depth + 1, room))
    const isText = hasTextBytes(original)
    // Looked at together: of many short names each by itself takes long.
    const names = Object.keys(original).join('\n')
    const named = text(names) === names ? original : renamed(original, text)
    return mapObject(named, (part, key) =>
      isText && key === 'data' ? textBytes(part as Uint8Array) : clean(part, depth + 1, room),
    )
  }
  const value = (original: unknown): unknown => clean(original, 0, newRoom())
  const error = (thrown: Error, copyPart: (part: unknown) => unknown): Error =>
    withoutSecrets(thrown, (part) => value(copyPart(part)))
  return {
    learn(secret, name) {
      // Who passes it on may leave out what stands around it, and write either line end.
      const plain = secret.trim().replaceAll('\r\n', '\n')
      const isLong = plain.length >= shortest
      const key = isLong ? plain : name
      if (secrets.has(key)) return true
      const added = [key, key.replaceAll('\n', '\r\n')].map(
        (form) => [form, isLong ? formsOf(form) : noForms] as const,
      )
      // The longest first: of one in which another stands, the rest would be shown.
      secrets = new Map([...secrets, ...added].toSorted(([a], [b]) => b.length - a.length))
      return isLong
    },
    bytes,
    // The longest is the first.
    reach: () => [...secrets.keys(), ''][0]!.length * maxFormBytes,
    text,
    open: (part) =>
      Math.min(...[...secrets.values()].map((forms) => placeOfBeginning(part, forms)), part.length),
    value: (original) => (secrets.size === 0 ? original : value(original)),
    logged: (original) =>
      secrets.size === 0 ? original : value(takeJson(original, newRoom(), error)),
  }
}

/** An error that says the same: loggers show stack and cause of errors alone. */
function withoutSecrets(error: Error, clean: (part: unknown) => unknown): Error {
  const copy = new Error()
  for (const key of new Set(['name', 'message', ...Object.getOwnPropertyNames(error)])) {
    Object.defineProperty(copy, clean(key) as string, {
      value: clean((error as unknown as Record<string, unknown>)[key]),
      enumerable: Object.prototype.propertyIsEnumerable.call(error, key),
      writable: true,
      configurable: true,
    })
  }
  return copy
}

const secretKey =
  /^(authorization|proxy-authorization|cookie|set-cookie|password|passwd|secret|token|api[-_]?key|access[-_]?token|refresh[-_]?token|client[-_]?secret|private[-_]?key|credentials?)$|(_|-)(token|secret|password|key)$/i
/** The same as programs write them in one word: `dbPassword`, `authToken`. */
const secretWord = /([a-z0-9](Token|Secret|Password)|([sS]ecret|[pP]rivate|[aA]ccess|[aA]uth)Key)$/
/** Up to the closing quote where there is one; otherwise one word, with the scheme before it or the cookies behind it. */
const secretInText =
  /((?:authorization|api[-_]?key|token|secret|password|cookie)\\*["']?\s*[:=]\s*)(?:(")(?:[^"\\]|\\[^])+|(')(?:[^'\\]|\\[^])+|(\\+["'])[^"'\\]+|(?:(?:bearer|basic|digest|token)\s+)?[^\s"',;}]+(?:;\s*[^\s"',;}=]+=[^\s"',;}]+)*)/gi

/** Names are met again and again: their answers are kept, up to so many. */
const keptNames = 2000
const secretNames = new Map<string, boolean>()

function isSecretName(name: string): boolean {
  const known = secretNames.get(name)
  if (known !== undefined) return known
  const secret = secretKey.test(name) || secretWord.test(name)
  if (name.length <= 64) {
    if (secretNames.size >= keptNames) secretNames.clear()
    secretNames.set(name, secret)
  }
  return secret
}

/** A copy for the audit: values under names that promise a secret are masked at every depth, also inside text. */
export function maskSecretFields(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return maskSecretText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= maxDepth) return '[left out]'
  if (Array.isArray(value)) return mapList(value, (part) => maskSecretFields(part, depth + 1))
  return mapObject(value, (part, key) =>
    isSecretName(key) ? mask : maskSecretFields(part, depth + 1),
  )
}

/** A text without what stands behind names that promise a secret. */
export function maskSecretText(text: string): string {
  // Most texts name nothing: look before the expression runs.
  return text.includes('=') || text.includes(':')
    ? text.replaceAll(secretInText, `$1$2$3$4${mask}`)
    : text
}

// Both give the same list or object back where nothing changed, and copy only then.
function mapList(list: readonly unknown[], change: (part: unknown) => unknown): readonly unknown[] {
  let copy: unknown[] | undefined
  for (let index = 0; index < list.length; index++) {
    const part = list[index]
    const changed = change(part)
    if (changed !== part) (copy ??= [...list])[index] = changed
  }
  return copy ?? list
}

function mapObject(object: object, change: (part: unknown, key: string) => unknown): object {
  let copy: object | undefined
  for (const key of Object.keys(object)) {
    const part = (object as Record<string, unknown>)[key]
    const changed = change(part, key)
    if (changed === part) continue
    copy ??= { ...object }
    define(copy, key, changed)
  }
  return copy ?? object
}

/** The same object with other names of its fields. */
function renamed(object: object, rename: (key: string) => string): object {
  return Object.fromEntries(Object.entries(object).map(([key, part]) => [rename(key), part]))
}
