/** Secrets shorter than this are not looked for: they would match by accident. */
const shortest = 6

/** Replaces every occurrence of a resolved secret. */
export function redact(text: string, secrets: Iterable<string>): string {
  let result = text
  for (const secret of secrets) {
    if (secret.length >= shortest) result = result.replaceAll(secret, '[redacted]')
  }
  return result
}
