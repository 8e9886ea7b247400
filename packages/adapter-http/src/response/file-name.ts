import { utf8 } from './utf8.ts'

const plain = /(?:^|;)\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^";\s]+))/i
const extended = /(?:^|;)\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i

/** The file name that Content-Disposition gives, the one in any language first (RFC 6266), without any folder or control character. */
export function fileName(disposition: string = ''): string | undefined {
  const [, quoted, bare] = plain.exec(disposition) ?? []
  const found = encodedName(disposition) ?? asSent((quoted ?? bare ?? '').replaceAll('\\"', '"'))
  return (
    found
      .replaceAll(/\p{Cc}/gu, '')
      .split(/[/\\]/)
      .at(-1)
      ?.trim() || undefined
  )
}

function encodedName(disposition: string): string | undefined {
  const [, encoded = ''] = extended.exec(disposition) ?? []
  try {
    return decodeURIComponent(encoded) || undefined
  } catch {
    return undefined
  }
}

/** Headers come as Latin-1; many servers write UTF-8 into them all the same. */
function asSent(text: string): string {
  return utf8(Buffer.from(text, 'latin1')) ?? text
}
