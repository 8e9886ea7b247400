import type { AdapterOutput } from '@callgate/spec'

import { parseUrl } from '../guard/parse-url.ts'
import type { HttpPagination } from '../operation/backend.ts'
import { valueAt } from '../operation/pointer.ts'
import type { BuiltRequest } from '../request/build.ts'
import { withPairs } from '../request/query.ts'
import { encode, scalarText } from '../request/styles.ts'

const defaultPages = 5

/** What a tool with pagination gives: the items of all pages that were read, and whether there are more. */
interface Pages {
  readonly items: unknown[]
  pages: number
  more: boolean
}

/** An answer as output; one without a body has no items, although its output says something. */
export interface PageRead {
  readonly output: AdapterOutput
  readonly isEmpty: boolean
}

/**
 * Reads pages by the declared rule (D13) until there is none, until `maxPages`, or until the items have `maxBytes`.
 *
 * Gives back `{ items, pages, more }` as data; a page that is an error ends it and is the output, and so is a first page
 * without items to be had.
 */
export async function paginate(
  rule: HttpPagination,
  first: BuiltRequest,
  maxBytes: number,
  fetchPage: (request: BuiltRequest) => Promise<PageRead>,
): Promise<AdapterOutput> {
  const read: Pages = { items: [], pages: 0, more: false }
  let bytes = 0
  let request: BuiltRequest | undefined = startOf(rule, first)
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- a page says where the next one is
    const { output, isEmpty }: PageRead = await fetchPage(request)
    if (output.isError) return output
    // Text, or an answer that is too long and in a blob: there are no items to be had from it.
    if (output.content !== undefined) return read.pages === 0 ? output : cutShort(read, output)
    const items = isEmpty ? [] : itemsOf(rule, output.data)
    read.items.push(...items)
    read.pages += 1
    bytes += JSON.stringify(items).length
    const next = nextRequest(rule, request, output, read, items.length)
    read.more = next !== undefined
    if (next === undefined || read.pages >= (rule.maxPages ?? defaultPages) || bytes >= maxBytes) {
      return { data: read, ...(output.metadata ? { metadata: output.metadata } : {}) }
    }
    request = next
  }
}

/** What was read before a page that is none. */
function cutShort(read: Pages, { data, metadata }: AdapterOutput): AdapterOutput {
  const note = 'the next page could not be read as items'
  const page = data === undefined ? {} : { page: data }
  return { data: { ...read, more: true }, metadata: { ...metadata, note, ...page } }
}

function startOf(rule: HttpPagination, first: BuiltRequest): BuiltRequest {
  if (rule.by === 'link' || rule.by === 'cursor') return first
  const start = queryValue(first.url, rule.parameter) ?? rule.first ?? (rule.by === 'page' ? 1 : 0)
  return withQueryValue(first, rule.parameter, start)
}

function itemsOf(rule: HttpPagination, data: unknown): readonly unknown[] {
  const items = valueAt(data, rule.items ?? '')
  if (items === undefined || items === null) return []
  return Array.isArray(items) ? (items as unknown[]) : [items]
}

function nextRequest(
  rule: HttpPagination,
  request: BuiltRequest,
  output: AdapterOutput,
  read: Pages,
  count: number,
): BuiltRequest | undefined {
  if (rule.by === 'link') return linked(request, output)
  if (rule.by === 'cursor') {
    const cursor = valueAt(output.data, rule.cursor)
    const ended = cursor === undefined || cursor === null || cursor === '' || cursor === false
    return ended ? undefined : withQueryValue(request, rule.parameter, scalarText(cursor))
  }
  if (count === 0) return undefined
  const current = Number(queryValue(request.url, rule.parameter) ?? 0)
  return withQueryValue(request, rule.parameter, current + (rule.by === 'page' ? 1 : count))
}

/** Whether `next` is one of the relations, each a word: `next-archive` is another one. */
function isNext(parameters: string): boolean {
  const [, quoted, bare = ''] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters) ?? []
  return (quoted ?? bare).toLowerCase().split(/\s+/).includes('next')
}

/** The `next` link (RFC 8288), on the same origin only: a page elsewhere would get the credentials. */
function linked(request: BuiltRequest, output: AdapterOutput): BuiltRequest | undefined {
  const headers = output.metadata?.['headers'] as { readonly link?: string } | undefined
  for (const [, target = '', parameters = ''] of (headers?.link ?? '').matchAll(
    /<([^<>]*)>([^<]*)/g,
  )) {
    if (!isNext(parameters)) continue
    if (!URL.canParse(target, request.url)) continue
    const url = new URL(target, request.url)
    return url.origin === new URL(request.url).origin ? { ...request, url: url.href } : undefined
  }
  return undefined
}

/** Nothing also where the model's address is none, which the guard says. */
function queryValue(url: string, name: string): string | undefined {
  return parseUrl(url)?.searchParams.get(name) ?? undefined
}

function withQueryValue(request: BuiltRequest, name: string, value: string | number): BuiltRequest {
  const pair = `${encode(name)}=${encode(String(value))}`
  return { ...request, url: withPairs(request.url, [pair]) }
}
