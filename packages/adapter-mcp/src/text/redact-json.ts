import { redact } from './redact.ts'

/** A message for the log, without the secrets that are known. Without secrets it is the same object. */
export function redactJson(message: object, secrets: ReadonlySet<string>): unknown {
  if (secrets.size === 0) return message
  // In JSON a secret may be escaped, so each is looked for in both forms.
  const forms = [...secrets].flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
  const text = JSON.stringify(message)
  const clean = redact(text, forms)
  return clean === text ? message : JSON.parse(clean)
}
