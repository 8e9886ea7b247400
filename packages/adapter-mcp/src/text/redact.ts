/** Secrets shorter than this are not looked for: they would match by accident. */
const shortest = 6

/** Replaces every occurrence of a resolved secret, and of a line of one that has several. */
export function redact(text: string, secrets: Iterable<string>): string {
  let result = text
  for (const form of formsOf(secrets)) result = result.replaceAll(form, '[redacted]')
  return result
}

/** The longest first: one secret can be the start of another. */
function formsOf(secrets: Iterable<string>): readonly string[] {
  return [...secrets]
    .flatMap((secret) => (secret.includes('\n') ? [secret, ...secret.split(/\r?\n/)] : [secret]))
    .filter((form) => form.length >= shortest)
    .toSorted((a, b) => b.length - a.length)
}
