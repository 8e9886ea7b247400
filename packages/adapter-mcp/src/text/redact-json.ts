import { isRecord } from '../record.ts'
import { maxDepth } from './clean-json.ts'
import { redact } from './redact.ts'

/** A message for the log, without the secrets that are known. Without secrets it is the same object. */
export function redactJson<T extends object>(message: T, secrets: ReadonlySet<string>): T {
  if (secrets.size === 0) return message
  return redacted(message, formsInJson(secrets)) as T
}

/** A text may itself be JSON, where a secret is escaped, and where some escape slashes, too. */
export function formsInJson(secrets: Iterable<string>): readonly string[] {
  return [...secrets].flatMap((secret) => {
    const escaped = JSON.stringify(secret).slice(1, -1)
    return [secret, escaped, escaped.replaceAll('/', String.raw`\/`)]
  })
}

function redacted(value: unknown, forms: readonly string[], depth = 0): unknown {
  if (typeof value === 'string') return redact(value, forms)
  if (typeof value !== 'object' || value === null) return value
  if (depth > maxDepth) return '[too deep]'
  if (Array.isArray(value)) return value.map((item) => redacted(item, forms, depth + 1))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      redact(name, forms),
      redacted(item, forms, depth + 1),
    ]),
  )
}
