import { parseUrl } from '../guard/parse-url.ts'
import { refused } from '../guard/refusal.ts'
import type { Operation, Part, TargetPlan } from '../operation/operation.ts'
import { fillTemplate, sourcesOf, type Fillings } from '../operation/template.ts'
import { writeBody } from './body.ts'
import {
  checkHeaderValue,
  cookieTexts,
  headerText,
  isHeaderValue,
  unfitForHeader,
} from './header.ts'
import { checkPathValue, pathText } from './path.ts'
import { queryPairs } from './query.ts'
import { scalarText } from './styles.ts'

/** A request before credentials are added; the URL is text, for the guard judges text. */
export interface BuiltRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: readonly string[]
  readonly body: string | Uint8Array | undefined
}

/**
 * Fills an operation with the arguments of a call.
 *
 * @throws ToolError `guard_refused` (`path-segment`, `header-value`, `multipart`, …) before anything is sent.
 */
export function buildRequest(operation: Operation, fillings: Fillings): BuiltRequest {
  const query = operation.query.flatMap((part) =>
    queryPairs(part.plan, fillTemplate(part.value, fillings)).map((pair) => pair.join('=')),
  )
  const headers: Record<string, string> = {}
  for (const part of operation.headers) {
    const text = headerText(part.plan, fillTemplate(part.value, fillings))
    if (text === undefined) continue
    if (!isHeaderValue(text)) throw unfitForHeader(argumentOf(part))
    headers[part.plan.name.toLowerCase()] = text
  }
  const body =
    operation.body && writeBody(operation.body, fillTemplate(operation.body.value, fillings))
  if (body) headers['content-type'] ??= checkHeaderValue(body.mediaType, 'body')
  return {
    method: operation.method,
    url: addressOf(operation.target, query, fillings),
    headers,
    cookies: operation.cookies.flatMap((part) =>
      cookieTexts(part.plan, fillTemplate(part.value, fillings)),
    ),
    body: body?.content,
  }
}

function addressOf(target: TargetPlan, query: readonly string[], fillings: Fillings): string {
  if (target.kind === 'argument') {
    const text = scalarText(fillTemplate(target, fillings) ?? '')
    return withQuery(text, query)
  }
  const path = target.path.map((piece) => pathPiece(piece, fillings)).join('')
  checkSegments(path, target)
  const fixed = target.fixedQuery === '' ? query : [target.fixedQuery, ...query]
  const address = withQuery(
    `${target.base.origin}${target.base.pathname.replace(/\/$/, '')}${path}`,
    fixed,
  )
  checkMatchesTemplate(address, target, path)
  return address
}

function withQuery(address: string, query: readonly string[]): string {
  if (query.length === 0) return address
  const [bare = '', ...fragment] = address.split('#')
  const joined = `${bare}${bare.includes('?') ? '&' : '?'}${query.join('&')}`
  return fragment.length === 0 ? joined : `${joined}#${fragment.join('#')}`
}

function pathPiece(piece: string | Part, fillings: Fillings): string {
  if (typeof piece === 'string') return piece
  const { value, plan } = piece
  return pathText(plan, fillTemplate(value, fillings), argumentOf(piece))
}

/** What the model knows a part by, which the other side may call otherwise. */
function argumentOf({ value, plan }: Part): string {
  return value.kind === 'argument' ? value.name : (sourcesOf(value).arguments[0] ?? plan.name)
}

/** Several values in one segment, or a prefix of a style, can make a dot segment that no value was. */
function checkSegments(path: string, target: TargetPlan & { kind: 'server' }): void {
  if (path.split('/').every((segment) => segment !== '.' && segment !== '..')) return
  const [first] = target.path.filter((piece) => typeof piece !== 'string')
  checkPathValue('..', first === undefined ? 'path' : argumentOf(first))
}

/** What is dialled is what was declared: the parsed address still is the server and the filled path (D6). */
function checkMatchesTemplate(
  address: string,
  target: TargetPlan & { kind: 'server' },
  path: string,
): void {
  const parsed = parseUrl(address)
  const expected = target.base.pathname.replace(/\/$/, '') + path
  const same = parsed?.origin === target.base.origin && parsed.pathname === (expected || '/')
  if (same) return
  throw refused({
    rule: 'path-segment',
    message: 'The arguments would change the path of this operation.',
    reason: `The path ${JSON.stringify(expected)} does not survive a URL parser.`,
  })
}
