const mask = '[redacted]'
/** A shorter secret would be found in harmless text everywhere. */
const shortest = 8

/** Takes the secrets that went through the gateway out of what a model, a log or the audit gets. */
export interface Redactor {
  /** Remembers a value that must never be shown. */
  learn(secret: string): void
  text(text: string): string
  /** The same value where it holds no secret, else a copy without. */
  value(value: unknown): unknown
}

export function createRedactor(): Redactor {
  const secrets = new Set<string>()
  const text = (original: string): string => {
    let clean = original
    for (const secret of secrets) if (clean.includes(secret)) clean = clean.replaceAll(secret, mask)
    return clean
  }
  const value = (original: unknown): unknown => {
    if (typeof original === 'string') return text(original)
    if (typeof original !== 'object' || original === null) return original
    // Bytes are media; a secret in them is not looked for.
    if (ArrayBuffer.isView(original)) return original
    if (Array.isArray(original)) return mapList(original, value)
    const named = Object.keys(original).some((key) => text(key) !== key)
    return mapObject(named ? renamed(original, text) : original, value)
  }
  return {
    learn(secret) {
      if (secret.length < shortest) return
      for (const form of formsOf(secret)) if (form.length >= shortest) secrets.add(form)
    },
    text: (original) => (secrets.size === 0 ? original : text(original)),
    value: (original) => (secrets.size === 0 ? original : value(original)),
  }
}

const secretKey =
  /^(authorization|proxy-authorization|cookie|set-cookie|password|passwd|secret|token|api[-_]?key|access[-_]?token|refresh[-_]?token|client[-_]?secret|private[-_]?key|credentials?)$|(_|-)(token|secret|password|key)$/i
const secretInText =
  /((?:authorization|api[-_]?key|token|secret|password|cookie)["']?\s*[:=]\s*["']?)(?:bearer\s+)?[^\s"',;}]+/gi

/** Names are met again and again: their answers are kept, up to so many. */
const keptNames = 2000
const secretNames = new Map<string, boolean>()

function isSecretName(name: string): boolean {
  const known = secretNames.get(name)
  if (known !== undefined) return known
  const secret = secretKey.test(name)
  if (name.length <= 64) {
    if (secretNames.size >= keptNames) secretNames.clear()
    secretNames.set(name, secret)
  }
  return secret
}

/** A copy for the audit: values under names that promise a secret are masked at every depth, also inside text. */
export function maskSecretFields(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return maskSecretText(value)
  if (typeof value !== 'object' || value === null || depth > 50) return value
  if (Array.isArray(value)) return mapList(value, (part) => maskSecretFields(part, depth + 1))
  return mapObject(value, (part, key) =>
    isSecretName(key) ? mask : maskSecretFields(part, depth + 1),
  )
}

/** A text without what stands behind names that promise a secret. */
export function maskSecretText(text: string): string {
  // Most texts name nothing: look before the expression runs.
  return text.includes('=') || text.includes(':')
    ? text.replaceAll(secretInText, `$1${mask}`)
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
    Object.defineProperty(copy, key, {
      value: changed,
      enumerable: true,
      writable: true,
      configurable: true,
    })
  }
  return copy ?? object
}

/** The same object with other names of its fields. */
function renamed(object: object, rename: (key: string) => string): object {
  return Object.fromEntries(Object.entries(object).map(([key, part]) => [rename(key), part]))
}

/** A secret as it may be met: plain, in a URL, in JSON, as hexadecimal digits, in Base64 of either alphabet. */
function formsOf(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret)
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const base64 = [0, 1, 2].map((before) => insideBase64(bytes, before))
  return [
    secret,
    encodeURIComponentSafe(secret),
    jsonInner(secret),
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ]
}

/** The digits that the bytes have in Base64 behind so many others, without those that depend on their neighbours. */
function insideBase64(bytes: Uint8Array, before: number): string {
  const all = btoa(String.fromCharCode(...new Uint8Array(before), ...bytes))
  const bits = (before + bytes.length) * 8
  return all.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6))
}

function encodeURIComponentSafe(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '?'))
}

function jsonInner(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
