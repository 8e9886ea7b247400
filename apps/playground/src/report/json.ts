import { printable } from './layout.ts'

/** A value as JSON for programs to read: bytes are base64. */
export function writeJson(value: unknown): string {
  return printable(JSON.stringify(value, (_, part: unknown) => writePart(part), 2))
}

function writePart(part: unknown): unknown {
  if (part instanceof Uint8Array) return Buffer.from(part).toString('base64')
  return typeof part === 'bigint' ? String(part) : part
}
