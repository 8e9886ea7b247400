import { isUtf8 } from 'node:buffer'

const escapes = /\\x([89A-F][0-9A-F])/g

/**
 * A name of the disk as text: itself where it is UTF-8, else with each byte above 7F written as `\xE9`.
 *
 * A backslash is refused in every path otherwise, so the written form means nothing else (C11).
 */
export function nameText(name: Buffer): string {
  if (isUtf8(name)) return name.toString('utf8')
  return name.toString('latin1').replace(/[\x80-\xff]/g, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).toUpperCase()}`
  })
}

/** A path of names in the form of {@link nameText}, as the operating system takes it. */
export function rawPath(path: string): string | Buffer {
  if (!path.includes('\\')) return path
  const pieces = path.split(escapes)
  // Every second piece is the number of a byte.
  return Buffer.concat(
    pieces.map((piece, index) =>
      index % 2 === 0 ? Buffer.from(piece, 'utf8') : Buffer.from(piece, 'hex'),
    ),
  )
}

/** Whether a name is written as {@link nameText} writes it: one spelling for one file. */
export function isCanonicalName(name: string): boolean {
  const raw = rawPath(name)
  return typeof raw === 'string' || nameText(raw) === name
}

/** A path of the disk, with `/` between its names, as text in the form of {@link nameText}. */
export function textOfRawPath(path: Buffer): string {
  if (isUtf8(path)) return path.toString('utf8')
  const names = path.toString('latin1').split('/')
  return names.map((name) => nameText(Buffer.from(name, 'latin1'))).join('/')
}
