import { essence, isJson } from '../operation/media.ts'
import type { BodyKind, BodyPlan } from '../operation/operation.ts'
import { textBytes } from './charset.ts'
import { fileBytes } from './file.ts'
import { multipartBody } from './multipart.ts'
import { pairsOf } from './query.ts'
import { encode, scalarText, type Serialisation } from './styles.ts'
import { unfit } from './unfit.ts'

/** A body ready to be sent. */
export interface WrittenBody {
  readonly mediaType: string
  readonly content: string | Uint8Array
}

const writers: Readonly<Record<BodyKind, (plan: BodyPlan, value: unknown) => WrittenBody>> = {
  json: ({ mediaType }, value) => ({ mediaType, content: JSON.stringify(value) }),
  form: (plan, value) => ({ mediaType: plan.mediaType, content: formText(plan, value) }),
  multipart: (plan, value) => multipartBody(plan, recordOf(plan, value)),
  text: ({ mediaType, charset, parameter }, value) => ({
    mediaType,
    content: textBytes(scalarText(value), charset, parameter),
  }),
  binary: ({ mediaType, parameter }, value) => ({
    mediaType,
    content: fileBytes(value, mediaType, parameter),
  }),
}

/** Writes a body by its media type (D5); nothing where the value is absent. */
export function writeBody(plan: BodyPlan, value: unknown): WrittenBody | undefined {
  return value === undefined ? undefined : writers[plan.kind](plan, value)
}

/** The value as a record of fields. */
function recordOf(plan: BodyPlan, value: unknown): { readonly [field: string]: unknown } {
  if (isRecord(value)) return value
  throw unfit(plan.parameter, 'an object with the fields of the form')
}

/**
 * application/x-www-form-urlencoded: a property with a style is written by it; without one, a scalar as it is, a list
 * as repeated names (or as JSON where that is its declared content), an object as JSON (OpenAPI 3.1.1, "Encoding the x-www-form-urlencoded Media Type").
 */
function formText(plan: BodyPlan, value: unknown): string {
  return Object.entries(recordOf(plan, value))
    .flatMap(([name, item]) => pairsOf(fieldPlan(plan, name, item), item, formEncode))
    .map(([name, item]) => `${name.replaceAll('%20', '+')}=${item}`)
    .join('&')
}

function formEncode(text: string): string {
  return encode(text).replaceAll('%20', '+')
}

function fieldPlan(plan: BodyPlan, name: string, value: unknown): Serialisation {
  const own = (Object.hasOwn(plan.encoding, name) ? plan.encoding[name] : undefined) ?? {}
  const { style = 'form', explode = style === 'form' || style === 'deepObject' } = own
  const base = { name, style, explode, nestedArrays: plan.nestedArrays ?? 'indices' }
  const styled = own.style !== undefined || own.explode !== undefined
  const contentType = styled ? undefined : documentType(value, own.contentType)
  return contentType === undefined ? base : { ...base, contentType }
}

/** The media type of a value that is written as a document; undefined where it is written by style. */
function documentType(value: unknown, declared: string | undefined): string | undefined {
  if (isRecord(value)) return declared ?? 'application/json'
  return Array.isArray(value) && isJson(essence(declared ?? '')) ? declared : undefined
}

function isRecord(value: unknown): value is { readonly [field: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
