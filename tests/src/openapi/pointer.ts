/** A node of a document and where it stands, as a JSON pointer (RFC 6901) that begins with `#`. */
export interface Located {
  readonly node: Record<string, unknown>
  readonly at: string
}

/** The child of a node. */
export function child(at: string, key: string | number): string {
  return `${at}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** What a pointer leads to, references followed; an empty node where there is nothing. */
export function locate(root: unknown, at: string): Located {
  let value: unknown = root
  for (const key of at.split('/').slice(1)) {
    value = record(value)[decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  const node = record(value)
  const reference = node['$ref']
  return typeof reference === 'string' ? locate(root, reference) : { node, at }
}

/** The value if it is an object, an empty one otherwise; lists count by their index. */
export function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** The text of a word of a document; nothing where it is no text. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
