import { randomUUID } from 'node:crypto'
import { toUSVString } from 'node:util'

import type { BodyPlan } from '../operation/operation.ts'
import { fileBytes, looksLikeFile, partMediaType, type WrittenBody } from './body.ts'
import { isAbsent, scalarText } from './styles.ts'

/**
 * multipart bodies (RFC 7578): a scalar is a text part, an object a JSON part, a list one part for each item, a file
 * a part with name and media type. Names are escaped as browsers do, so that no name can begin a header.
 */
export function multipartBody(
  plan: BodyPlan,
  fields: { readonly [field: string]: unknown },
): WrittenBody {
  const boundary = `callgate-${randomUUID()}`
  const chunks: Uint8Array[] = []
  for (const [name, value] of Object.entries(fields)) {
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (!isAbsent(item)) chunks.push(...partOf(plan, boundary, name, item))
    }
  }
  chunks.push(Buffer.from(`--${boundary}--\r\n`))
  return {
    mediaType: `${plan.mediaType}; boundary=${boundary}`,
    content: Buffer.concat(chunks),
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
  const head = [`--${boundary}`, `Content-Disposition: form-data; name="${escapeName(name)}"`]
  let content: Uint8Array
  if (file) {
    const facts = fileFacts(value, name)
    head[1] += `; filename="${escapeName(facts.filename)}"`
    head.push(
      `Content-Type: ${facts.mediaType ?? encoding?.contentType ?? 'application/octet-stream'}`,
    )
    content = fileBytes(value, name)
  } else {
    const mediaType = encoding?.contentType ?? (typeof value === 'object' ? 'application/json' : '')
    if (mediaType !== '') head.push(`Content-Type: ${mediaType}`)
    content = Buffer.from(scalarText(value))
  }
  return [Buffer.from(`${head.join('\r\n')}\r\n\r\n`), content, Buffer.from('\r\n')]
}

function fileFacts(value: unknown, field: string): { filename: string; mediaType?: string } {
  const { filename, mediaType } = (typeof value === 'object' ? value : {}) as Record<
    string,
    unknown
  >
  return {
    filename: typeof filename === 'string' ? filename : field,
    ...(typeof mediaType === 'string' ? { mediaType: partMediaType(mediaType, field) } : {}),
  }
}

/** The escapes of "multipart/form-data encoding algorithm", WHATWG HTML. */
function escapeName(name: string): string {
  return toUSVString(name).replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
}
