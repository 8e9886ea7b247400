import type { ToolResult } from '@callgate/spec'

/** Of a longer text the first and the last characters are looked at. */
const lookedAt = 8192

/** A number by which two results of one call are taken to be alike: of the code, and the texts and sizes of the content (FNV-1a). */
export function gist({ error, content }: ToolResult): number {
  let hash = mix(0x811c9dc5, error === undefined ? '' : `${error.code} ${error.message}`)
  for (const part of content) {
    if ('text' in part && part.text !== undefined) hash = mix(hash, part.text)
    else if ('data' in part && part.data !== undefined)
      hash = mix(hash, String(part.data.byteLength))
    else if ('uri' in part) hash = mix(hash, part.uri)
  }
  return hash
}

function mix(seed: number, text: string): number {
  const shortened =
    text.length > 2 * lookedAt
      ? `${text.slice(0, lookedAt)}${text.length}${text.slice(-lookedAt)}`
      : text
  let hash = seed
  for (let index = 0; index < shortened.length; index++) {
    hash = Math.imul(hash ^ shortened.charCodeAt(index), 0x01000193)
  }
  return hash
}
