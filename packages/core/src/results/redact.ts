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
    return mapObject(original, value)
  }
  return {
    learn(secret) {
      if (secret.length < shortest) return
      for (const form of [
        secret,
        btoaSafe(secret),
        encodeURIComponentSafe(secret),
        jsonInner(secret),
      ]) {
        if (form.length >= shortest) secrets.add(form)
      }
    },
    text: (original) => (secrets.size === 0 ? original : text(original)),
    value: (original) => (secrets.size === 0 ? original : value(original)),
  }
}

const secretKey =
  /^(authorization|proxy-authorization|cookie|set-cookie|password|passwd|secret|token|api[-_]?key|access[-_]?token|refresh[-_]?token|client[-_]?secret|private[-_]?key|credentials?)$|(_|-)(token|secret|password|key)$/i
const secretInText =
  /((?:authorization|api[-_]?key|token|secret|password|cookie)["']?\s*[:=]\s*["']?)(?:bearer\s+)?[^\s"',;}]+/gi

/** A copy for the audit: values under names that promise a secret are masked at every depth, also inside text. */
export function maskSecretFields(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return maskSecretText(value)
  if (typeof value !== 'object' || value === null || depth > 50) return value
  if (Array.isArray(value)) return mapList(value, (part) => maskSecretFields(part, depth + 1))
  return mapObject(value, (part, key) =>
    secretKey.test(key) ? mask : maskSecretFields(part, depth + 1),
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

function btoaSafe(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}

function encodeURIComponentSafe(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '?'))
}

function jsonInner(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
