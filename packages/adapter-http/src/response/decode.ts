import { pipeline, type Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, type Gunzip } from 'node:zlib'

import { Inflater } from './inflater.ts'

/** What is asked for in Accept-Encoding; answers in other codings are kept as bytes. */
export const acceptedEncodings = 'gzip, deflate, br'

type Decoder = Transform & Pick<Gunzip, 'bytesWritten'>

const gunzip = (): Transform => emptyIfEmpty(createGunzip())

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: () => new Inflater(),
  br: () => emptyIfEmpty(createBrotliDecompress()),
}

/**
 * Undoes Content-Encoding (RFC 9110 section 8.4), so that limits count decoded bytes.
 *
 * Gives back the stream and the codings that could not be undone.
 */
export function decodeBody(
  body: Readable,
  encoding: string | string[] | undefined,
): { readonly stream: Readable; readonly undecoded: readonly string[] } {
  if (encoding === undefined) return { stream: body, undecoded: [] }
  const codings = String(encoding)
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
  let stream = body
  for (let coding = codings.at(-1); coding !== undefined; coding = codings.at(-1)) {
    const decoder = Object.hasOwn(decoders, coding) ? decoders[coding]?.() : undefined
    if (decoder === undefined) break
    // Errors reach the reader by the last stream.
    stream = pipeline(stream, decoder, () => undefined)
    codings.pop()
  }
  return { stream, undecoded: codings }
}

/** Servers name a coding also where they send nothing at all, which no decoder takes for an end. */
function emptyIfEmpty(decoder: Decoder): Transform {
  // oxlint-disable-next-line no-underscore-dangle -- the name that streams give to their end
  const end = decoder._flush.bind(decoder)
  return Object.assign(decoder, {
    _flush: (done: Parameters<typeof end>[0]): void =>
      decoder.bytesWritten === 0 ? done() : end(done),
  })
}
