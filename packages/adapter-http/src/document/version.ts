import { CallgateError } from '@callgate/spec'
import { isScalar, LineCounter, parseDocument } from 'yaml'

import { isRecord } from './references.ts'

/**
 * The version that a parsed document says it is written in.
 *
 * `where` names the document in faults: its file or address, then with its text, or the name it was given.
 *
 * @throws CallgateError (`openapi-version`), with line and column where the text is given and has a version.
 */
export function checkVersion(
  document: unknown,
  where: string,
  text?: string,
): { readonly root: Record<string, unknown>; readonly version: string } {
  const root = isRecord(document) ? document : {}
  const declared = root['openapi'] ?? root['swagger']
  // YAML reads an unquoted 2.0 as the number 2.
  const version = typeof declared === 'number' ? declared.toFixed(1) : declared
  if (typeof version !== 'string' || version === '') {
    throw versionFault(where, 'is not an OpenAPI document: it has neither "openapi" nor "swagger".')
  }
  if (/^(2\.0|3\.[012])(\.|$|-)/.test(version)) return { root, version }
  const key = declared === root['openapi'] ? 'openapi' : 'swagger'
  const place = text === undefined ? where : `${where}${placeOf(key, text)}`
  throw versionFault(place, `is written in version ${version}, which is not known.`)
}

/** Line and column of a value of the root, as `:2:10`. Read anew, since few documents are at fault. */
function placeOf(key: string, text: string): string {
  const lineCounter = new LineCounter()
  try {
    const node: unknown = parseDocument(text, { lineCounter }).get(key, true)
    const { line, col } = lineCounter.linePos((isScalar(node) && node.range?.[0]) || 0)
    return `:${line}:${col}`
  } catch {
    // JSON that is nested too deep for this parser.
    return ''
  }
}

function versionFault(where: string, what: string): CallgateError {
  return new CallgateError({
    code: 'invalid_arguments',
    rule: 'openapi-version',
    where,
    message: `"${where}" ${what}`,
    hint: 'Known are Swagger 2.0 and OpenAPI 3.0, 3.1 and 3.2.',
  })
}
