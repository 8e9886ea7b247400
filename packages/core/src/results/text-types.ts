const textual =
  /^(text\/.+|[^;\s]+[/+](json|xml|yaml|x-yaml|javascript|ecmascript|x-www-form-urlencoded|x-ndjson|jsonl|graphql|toml|sql))\s*(;|$)/i

/** Whether bytes of a media type are text, with or without parameters: `text/csv; charset=utf-8`, `image/svg+xml`. */
export function isTextType(mediaType: string): boolean {
  return textual.test(mediaType.trim())
}
