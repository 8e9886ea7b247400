import { Buffer } from 'node:buffer'

import type { AdapterOutput, ContentPart, FieldFault } from '@callgate/spec'
import { ToolError } from '@callgate/spec'

import { isRecord, type JsonRecord } from '../record.ts'
import { cleanJson } from '../text/clean-json.ts'
import { jsonWithoutBase64 } from '../text/elide-base64.ts'
import { hidden, readContent } from './content.ts'

/** How the structured part of a result is checked; undefined where the tool declares no output schema. */
export interface OutputCheck {
  readonly mismatch: 'warn' | 'error' | 'off'
  validate?(value: unknown): readonly FieldFault[]
}

/**
 * A raw `tools/call` result as the adapter gives it on: parts for the model, and as data the structured content, or
 * else the joined text.
 *
 * @throws ToolError `backend_error` when the structured content does not fit and `mismatch` is `error`; the tool has
 * run, and its result is in `backend.data`.
 */
export async function toOutput(raw: unknown, check: OutputCheck): Promise<AdapterOutput> {
  const result = isRecord(raw) ? raw : { content: raw }
  const isError = result['isError'] === true || result['isError'] === 'true'
  const { parts, notes } = await readContent(result['content'])
  const structured = structuredOf(result, check)
  const data = cleanJson(structured)
  const faults = isError ? [] : mismatches(structured, check, result)
  const content = data === undefined ? parts : withStructured(parts, data)
  return {
    data: data === undefined ? joinedText(parts) : data,
    content,
    ...(isError ? { isError } : {}),
    ...metadata([...notes, ...(data === structured ? [] : [hidden]), ...faults], {
      structured,
      data,
      meta: result['_meta'],
      content: result['content'],
    }),
  }
}

/** Some servers write null for what is not there. */
function structuredOf({ structuredContent }: JsonRecord, { validate }: OutputCheck): unknown {
  if (structuredContent !== null) return structuredContent
  return validate?.(null).length === 0 ? null : undefined
}

function metadata(
  notes: readonly string[],
  { structured, data, meta, content }: Sent,
): Pick<AdapterOutput, 'metadata'> {
  const cleaned = data === structured && notes.includes(hidden)
  const fields = {
    ...(notes.length === 0 ? {} : { notes: [...new Set(notes)] }),
    // What code may want as the server sent it; the cleaned value is what a model sees.
    ...(data === structured || sizeOf(structured) === Infinity ? {} : { raw: structured }),
    ...(cleaned && sizeOf(content) <= longestRaw ? { raw: content } : {}),
    ...(isRecord(meta) && Object.keys(meta).length > 0 ? { meta: cleanJson(meta) } : {}),
  }
  return Object.keys(fields).length === 0 ? {} : { metadata: fields }
}

/** Of a result, as it came; `data` is its structured content, cleaned. */
interface Sent {
  readonly structured: unknown
  readonly data: unknown
  readonly meta: unknown
  readonly content: unknown
}

/** In characters of JSON; what is too deep to be written is too large for everybody. */
function sizeOf(content: unknown): number {
  try {
    return JSON.stringify(content)?.length ?? 0
  } catch {
    return Infinity
  }
}

function mismatches(
  structured: unknown,
  check: OutputCheck,
  result: JsonRecord,
): readonly string[] {
  if (check.mismatch === 'off' || check.validate === undefined) return []
  const [fault] = structured === undefined ? [] : check.validate(structured)
  if (structured !== undefined && fault === undefined) return []
  const what =
    fault === undefined
      ? 'the tool declares structured output and gave none'
      : `structured output does not fit at "${fault.path}": ${fault.got} instead of ${fault.expected}`
  if (check.mismatch === 'warn') return [what]
  throw new ToolError({
    code: 'backend_error',
    message: `The tool ran, but ${what}.`,
    rule: 'output-schema',
    started: 'yes',
    backend: { data: cleanJson(result) },
  })
}

/** The text among parts. */
export function joinedText(parts: readonly ContentPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

const shortestElided = 64
/** Of what was cleaned, code gets no more than this as it was sent: it goes through the whole gateway. */
const longestRaw = 64 * 1024

/** The model reads structured content as text where the server gave no text, and media only once. */
function withStructured(parts: readonly ContentPart[], data: unknown): readonly ContentPart[] {
  const media = parts.flatMap((part) =>
    'data' in part && part.data !== undefined && part.data.length >= shortestElided
      ? [Buffer.from(part.data).toString('base64')]
      : [],
  )
  const elide = (text: string): string =>
    media.reduce((rest, base64) => rest.replaceAll(base64, '[shown as media]'), text)
  if (!parts.some((part) => part.type === 'text')) {
    return [{ type: 'text', text: elide(jsonWithoutBase64(data)) }, ...parts]
  }
  if (media.length === 0) return parts
  return parts.map((part) => (part.type === 'text' ? { ...part, text: elide(part.text) } : part))
}
