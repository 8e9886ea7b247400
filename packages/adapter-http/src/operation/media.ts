import type { BodyKind } from './operation.ts'

/** How a body of this media type is written. */
export function bodyKind(mediaType: string): BodyKind {
  const type = essence(mediaType)
  if (isJson(type) || type === '*/*') return 'json'
  if (type === 'application/x-www-form-urlencoded') return 'form'
  if (type.startsWith('multipart/')) return 'multipart'
  return isText(type) ? 'text' : 'binary'
}

/** A media type without its parameters, in lower case. */
export function essence(mediaType: string): string {
  return (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase()
}

export function isJson(type: string): boolean {
  return /^[^/]+\/(?:[^+]+\+)?json$/.test(type)
}

export function isText(type: string): boolean {
  return (
    type.startsWith('text/') ||
    /^[^/]+\/(?:[^+]+\+)?(?:xml|yaml|x-yaml)$/.test(type) ||
    /^application\/(?:javascript|ecmascript|graphql|toml|sql|x-sh|x-www-form-urlencoded)$/.test(
      type,
    )
  )
}

/** The charset that a media type names, in quotes or not. */
export function charset(mediaType: string): string | undefined {
  // What another parameter holds in quotes may look like one.
  const bare = mediaType.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"/g, (quoted) =>
    quoted.includes(';') ? '' : quoted,
  )
  return /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(bare)?.[1]
}
