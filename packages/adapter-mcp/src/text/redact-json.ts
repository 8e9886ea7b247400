import { isRecord } from '../record.ts'
import { maxDepth } from './clean-json.ts'
import { redact } from './redact.ts'

/** A message for the log, without the secrets that are known. Without secrets it is the same object. */
export function redactJson(message: object, secrets: ReadonlySet<string>): unknown {
  if (secrets.size === 0) return message
  // A text may itself be JSON, where a secret is escaped.
  const forms = [...secrets].flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
  return redacted(message, forms)
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
