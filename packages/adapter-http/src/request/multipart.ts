import { randomUUID } from 'node:crypto'
import { toUSVString } from 'node:util'

import type { HttpEncoding } from '../operation/backend.ts'
import type { BodyPlan } from '../operation/operation.ts'
import { textBytes, textCharset } from './charset.ts'
import { fileBytes, fileFacts, looksLikeFile } from './file.ts'
import { isAbsent, scalarText } from './styles.ts'

/**
 * multipart bodies (RFC 7578): a scalar is a text part, an object a JSON part, a list one part for each item, a file
 * a part with name and media type. Names are escaped as browsers do, so that no name can begin a header.
 */
export function multipartBody(
  plan: BodyPlan,
  fields: { readonly [field: string]: unknown },
): { readonly mediaType: string; readonly content: Uint8Array } {
  const boundary = `callgate-${randomUUID()}`
  const chunks = Object.entries(fields).flatMap(([name, value]) => {
    const items = Array.isArray(value) ? (value as unknown[]) : [value]
    return items
      .filter((item) => !isAbsent(item))
      .flatMap((item) => partOf(plan, boundary, name, item))
  })
  return {
    mediaType: `${plan.mediaType}; boundary=${boundary}`,
    content: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
  }
}

function partOf(
  plan: BodyPlan,
  boundary: string,
  name: string,
  value: unknown,
): readonly Uint8Array[] {
  const encoding = Object.hasOwn(plan.encoding, name) ? plan.encoding[name] : undefined
  const file = encoding?.file ?? (encoding === undefined && looksLikeFile(value))
  const { disposition, mediaType, content } = file
    ? filePart(name, value, encoding)
    : fieldPart(name, value, encoding)
  const head = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="${escapeName(name)}"${disposition}`,
    ...(mediaType === undefined ? [] : [`Content-Type: ${mediaType}`]),
  ]
  return [Buffer.from(`${head.join('\r\n')}\r\n\r\n`), content, Buffer.from('\r\n')]
}

interface PartContent {
  readonly disposition: string
  readonly mediaType: string | undefined
  readonly content: Uint8Array
}

function filePart(name: string, value: unknown, encoding: HttpEncoding | undefined): PartContent {
  const facts = fileFacts(value, name)
  const mediaType = facts.mediaType ?? encoding?.contentType ?? 'application/octet-stream'
  return {
    disposition: `; filename="${escapeName(facts.filename)}"`,
    mediaType,
    content: fileBytes(value, mediaType, name),
  }
}

function fieldPart(name: string, value: unknown, encoding: HttpEncoding | undefined): PartContent {
  const fallback = typeof value === 'object' ? 'application/json' : undefined
  const mediaType = encoding?.contentType ?? fallback
  return {
    disposition: '',
    mediaType,
    content: textBytes(scalarText(value), textCharset(mediaType ?? ''), name),
  }
}

/** The escapes of "multipart/form-data encoding algorithm", WHATWG HTML. */
function escapeName(name: string): string {
  return toUSVString(name).replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
}
