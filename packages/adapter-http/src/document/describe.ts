/** Cuts a text at a limit of UTF-16 units, never inside a character, and says so with an ellipsis. */
export function cutText(text: string, limit: number): string {
  const trimmed = text.trim()
  if (trimmed.length <= limit) return trimmed
  // A cut between the halves of a surrogate pair leaves a high one, which goes too.
  const kept = trimmed.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')
  return `${kept.trimEnd()}…`
}

/** What a model reads about an operation: summary and description, or at least method and path. */
export function describeOperation(
  operation: { readonly [key: string]: unknown },
  method: string,
  path: string,
): string {
  const texts = [operation['summary'], operation['description']]
    .filter((text): text is string => typeof text === 'string' && text.trim() !== '')
    .map((text) => text.trim())
  const unique = texts.filter((text, index) => !texts.slice(0, index).includes(text))
  const text = cutText(unique.join('\n\n'), 1000)
  if (text === '') return `${method} ${path}`
  return operation['deprecated'] === true ? `Deprecated. ${text}` : text
}
