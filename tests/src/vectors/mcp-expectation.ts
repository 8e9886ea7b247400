import { isDeepStrictEqual } from 'node:util'
import { gunzipSync } from 'node:zlib'

import type { ContentPart } from '@callgate/spec'

import { differ, includesAll, show } from './compare.ts'

/** What came of one case. */
export interface Seen {
  readonly outcome: string
  readonly content: readonly ContentPart[]
  readonly data?: unknown
  readonly error?: { readonly code?: number; readonly data?: unknown; readonly message: string }
  readonly names?: readonly string[]
  readonly progress?: readonly (number | undefined)[]
  readonly alive?: readonly ContentPart[]
  readonly firstUpdated?: string
  readonly ms?: number
  /** What the server asked meanwhile. */
  readonly asked?: { readonly fields?: readonly string[]; readonly maxTokens?: unknown }
}

type Check = (expected: never, seen: Seen) => readonly string[]

/** One check for each field an expectation may have. */
const checks: { readonly [field: string]: Check } = {
  outcome: (expected, { outcome, error }) =>
    differ(`outcome${error === undefined ? '' : ` (${error.message})`}`, outcome, expected),
  isError: (expected, { outcome }) => differ('isError', outcome === 'toolError', expected),
  cancelled: (expected, { outcome }) => differ('cancelled', outcome === 'cancelled', expected),
  contentTypes: (expected, { content }) =>
    differ(
      'types',
      content.map(({ type }) => type),
      expected,
    ),
  texts: (expected, { content }) => differ('texts', textsOf(content), expected),
  firstText: (expected, { content }) => differ('first text', textsOf(content)[0], expected),
  structuredContent: (expected, { data }) => differ('data', data, expected),
  annotations: (expected, { content }) =>
    differ('annotations', [content[0]?.annotations], expected),
  image: (expected, { content }) => image(expected, content),
  resource: (expected, { content }) => resource(expected, content),
  links: (expected: readonly Fields[], { content }) => links(expected, content),
  progress: (expected: readonly (readonly [number, number])[], { progress }) =>
    differ(
      'progress',
      progress,
      expected.map(([done, total]) => done / total),
    ),
  connectionStillUsable: (expected, { alive }) => differ('echo', textsOf(alive ?? [])[0], expected),
  requestedFields: (expected, { asked }) => differ('fields', asked?.fields, expected),
  containsSampled: (_expected, { content }) =>
    includesAll('texts', textsOf(content).join('\n'), ['SAMPLED']),
  sentMaxTokens: (expected, { asked }) => differ('maxTokens', asked?.maxTokens, expected),
  firstUpdated: (expected, { firstUpdated }) => differ('updated', firstUpdated, expected),
  names: (expected: readonly string[], { names }) =>
    expected.filter((name) => names?.includes(name) !== true).map((name) => `${name} is missing`),
  under1s: (_expected, { ms = Infinity }) => under(ms, 1000),
  underMs8000: (_expected, { ms = Infinity }) => under(ms, 8000),
  code: (expected, { error }) => differ('code', error?.code, expected),
  messageIncludes: (expected: string, { error }) =>
    includesAll('message', error?.message ?? '', [expected]),
  data: (expected, { error }) =>
    fits(error?.data, expected) ? [] : differ('data', error?.data, expected),
  uri: (expected, { content }) => differ('uri', partOf(content, 'resource')?.['uri'], expected),
  mimeType: (expected, { content }) =>
    differ('media type', partOf(content, 'resource')?.['mediaType'], expected),
  startsWith: (expected: string, { content }) => {
    const text = String(partOf(content, 'resource')?.['text'])
    return text.startsWith(expected) ? [] : [`${show(text)} does not start with ${expected}`]
  },
}

type Fields = { readonly [name: string]: unknown }

/** A line for each field that differs from the expectation. */
export function differencesOf(expected: Fields, seen: Seen): readonly string[] {
  return Object.entries(expected).flatMap(([field, value]) => {
    const check = checks[field]
    return check === undefined ? [`no check for ${field}`] : check(value as never, seen)
  })
}

function textsOf(content: readonly ContentPart[]): readonly string[] {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}

function partOf(content: readonly ContentPart[], type: ContentPart['type']): Fields | undefined {
  return content.find((part) => part.type === type) as Fields | undefined
}

function image(expected: Fields, content: readonly ContentPart[]): readonly string[] {
  const part = partOf(content, 'image')
  const bytes = (part?.['data'] as Uint8Array | undefined) ?? new Uint8Array()
  const png = bytes[0] === 0x89 && bytes[1] === 0x50 && bytes[2] === 0x4e && bytes[3] === 0x47
  return [
    ...differ('media type', part?.['mediaType'], expected['mimeType']),
    ...differ('bytes', bytes.length, expected['bytes']),
    ...differ('PNG', png, expected['pngMagic']),
  ]
}

function resource(expected: Fields, content: readonly ContentPart[]): readonly string[] {
  const part = partOf(content, 'resource')
  const bytes = part?.['data'] as Uint8Array | undefined
  return [
    ...differ('uri', part?.['uri'], expected['uri']),
    ...differ('media type', part?.['mediaType'], expected['mimeType']),
    ...('hasBlob' in expected ? differ('blob', bytes !== undefined, expected['hasBlob']) : []),
    ...('gunzipped' in expected
      ? differ('gunzipped', gunzipSync(bytes ?? new Uint8Array()).toString(), expected['gunzipped'])
      : []),
  ]
}

function links(expected: readonly Fields[], content: readonly ContentPart[]): readonly string[] {
  const got = content.flatMap((part) =>
    part.type === 'resource_link'
      ? [{ uri: part.uri, name: part.name, mimeType: part.mediaType }]
      : [],
  )
  return differ('links', got, expected)
}

function under(ms: number, limit: number): readonly string[] {
  return ms < limit ? [] : [`took ${String(Math.round(ms))} ms`]
}

/** Equal, where the text `<uuid>` stands for any UUID. */
function fits(got: unknown, expected: unknown): boolean {
  if (expected === '<uuid>') return typeof got === 'string' && /^[\da-f-]{36}$/i.test(got)
  if (Array.isArray(expected)) {
    return (
      Array.isArray(got) &&
      got.length === expected.length &&
      expected.every((item, index) => fits(got[index], item))
    )
  }
  if (typeof expected === 'object' && expected !== null) {
    return Object.entries(expected).every(([name, item]) => fits(Object(got)[name], item))
  }
  return isDeepStrictEqual(got, expected)
}
