import type { InvalidToolError, ToolFaults } from '@callgate/spec'

import { sentCharsets, textCharset } from '../request/charset.ts'
import {
  headerText,
  isFramingHeader,
  isGatewayHeader,
  isHeaderName,
  isHeaderValue,
} from '../request/header.ts'
import type { ParameterStyle, Serialisation } from '../request/styles.ts'
import type { HttpBackend, HttpBody, HttpPagination, HttpParameter } from './backend.ts'
import { blockFault } from './block-fault.ts'
import { bodyKind } from './media.ts'
import type { BodyPlan, Operation, Part } from './operation.ts'
import { compileTarget } from './target.ts'
import { fillTemplate, parseTemplate, sourcesOf } from './template.ts'

const methods = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Checks a backend block and takes it apart (A1).
 *
 * `declared` are the names of the tool's parameters, `base` the server of its document, if it has one. Gives back
 * undefined where something is wrong; every rule that the block breaks is noted in `faults`.
 */
export function compileOperation(
  block: HttpBackend,
  declared: ReadonlySet<string>,
  base: string | undefined,
  { attempt }: Pick<ToolFaults, 'attempt'>,
): Operation | undefined {
  const method = attempt(() => methodOf(block))
  const parts = (block.parameters ?? []).map((parameter) => ({
    place: parameter.in,
    part: parameterPart(parameter, block),
  }))
  const at = (place: string): readonly Part[] =>
    parts.filter((entry) => entry.place === place).map(({ part }) => part)
  const target = attempt(() => compileTarget(block, declared, base, at('path')))
  const headers = [...at('header').map(modelHeader), ...headerParts(block, declared)].map((make) =>
    attempt(make),
  )
  const body = attempt(() => ({ plan: bodyPlan(block, declared) }))
  const idempotency = attempt(() => ({ header: idempotencyOf(block) }))
  const pages = attempt(() => ({ rule: paginationOf(block) }))
  if (method === undefined || target === undefined || pages === undefined) return undefined
  if (body === undefined || idempotency === undefined) return undefined
  if (!areWhole(headers)) return undefined
  return {
    method,
    target: target.target,
    query: [...target.query, ...at('query'), ...namedParts(block.query, declared, 'form')],
    headers,
    cookies: [...at('cookie'), ...namedParts(block.cookies, declared, 'form')],
    ...(body.plan ? { body: body.plan } : {}),
    ...(pages.rule === undefined ? {} : { pagination: pages.rule }),
    ...(idempotency.header === undefined ? {} : { idempotencyHeader: idempotency.header }),
  }
}

function areWhole(parts: readonly (Part | undefined)[]): parts is readonly Part[] {
  return parts.every((part) => part !== undefined)
}

function methodOf(block: HttpBackend): string {
  const method = (block.method ?? 'GET').toUpperCase()
  if (methods.has(method)) return method
  throw blockFault(
    'method',
    `"${method}" is not a method that a tool can use.`,
    'Use GET, HEAD, OPTIONS, POST, PUT, PATCH or DELETE.',
  )
}

function idempotencyOf({ idempotencyHeader }: HttpBackend): string | undefined {
  if (idempotencyHeader !== undefined) checkHeaderName(idempotencyHeader)
  return idempotencyHeader
}

/** Without its slash a pointer would mean the whole page. */
function paginationOf({ pagination }: HttpBackend): HttpPagination | undefined {
  const { items, cursor } = { cursor: undefined, items: undefined, ...pagination }
  for (const [field, pointer] of Object.entries({ items, cursor })) {
    if (pointer === undefined || pointer === '' || pointer.startsWith('/')) continue
    throw blockFault(
      'pagination',
      `"${field}" of the pagination is "${pointer}", which is no JSON pointer.`,
      `Write "/${pointer}".`,
    )
  }
  return pagination
}

function parameterPart(parameter: HttpParameter, block: HttpBackend): Part {
  const formed = parameter.in === 'query' || parameter.in === 'cookie'
  const style = parameter.style ?? (formed ? 'form' : 'simple')
  const plan: Serialisation = {
    name: parameter.name,
    style,
    explode: parameter.explode ?? (style === 'form' || style === 'deepObject'),
    ...(parameter.allowReserved === undefined ? {} : { allowReserved: parameter.allowReserved }),
    ...(parameter.contentType === undefined ? {} : { contentType: parameter.contentType }),
    ...(block.nestedArrays === undefined ? {} : { nestedArrays: block.nestedArrays }),
  }
  return { plan, value: { kind: 'argument', name: parameter.argument ?? parameter.name } }
}

/** Parts of a record such as `query: { q: '{q}' }`. */
function namedParts(
  record: { readonly [name: string]: unknown } | undefined,
  declared: ReadonlySet<string>,
  style: ParameterStyle,
): readonly Part[] {
  return Object.entries(record ?? {}).map(([name, value]) => ({
    plan: { name, style, explode: style === 'form' },
    value: parseTemplate(value, declared),
  }))
}

/** Makes one header, or throws what is wrong with it. */
type MakePart = () => Part

function headerParts(block: HttpBackend, declared: ReadonlySet<string>): readonly MakePart[] {
  return namedParts(block.headers, declared, 'simple').map((part) => () => {
    checkHeaderName(part.plan.name)
    if (isFramingHeader(part.plan.name)) throw forbiddenHeader(part.plan.name)
    return sourcesOf(part.value).arguments.length === 0 ? fixedHeader(part) : modelHeader(part)()
  })
}

/** A header that no call changes is looked at here, where it is not yet every call that fails. */
function fixedHeader(part: Part): Part {
  const value = fillTemplate(part.value, { arguments: {}, secret: () => '' })
  if (isHeaderValue(headerText(part.plan, value) ?? '')) return part
  throw blockFault(
    'header-value',
    `"${part.plan.name}" holds a character that a header cannot carry.`,
    'Use visible Latin-1.',
  )
}

/** A header that a model fills (D7). */
function modelHeader(part: Part): MakePart {
  return () => {
    checkHeaderName(part.plan.name)
    if (isGatewayHeader(part.plan.name)) throw forbiddenHeader(part.plan.name)
    return part
  }
}

function forbiddenHeader(name: string): InvalidToolError {
  return blockFault(
    'header-name',
    `The header "${name}" is the gateway's to set; a model cannot fill it.`,
    'Use "auth" for credentials and "body.mediaType" for the content type.',
  )
}

function checkHeaderName(name: string): void {
  if (isHeaderName(name)) return
  throw blockFault(
    'header-name',
    `"${name}" cannot name a header.`,
    'Use letters, digits and "-" alone.',
  )
}

function bodyPlan(block: HttpBackend, declared: ReadonlySet<string>): BodyPlan | undefined {
  const { body } = block
  if (body === undefined) return undefined
  const { mediaType = 'application/json', argument } = body
  if ((argument === undefined) === (body.content === undefined)) {
    throw blockFault(
      'body',
      'A body has either "argument" or "content".',
      'Name the parameter that is the whole body in "argument", or write the body in "content".',
    )
  }
  const kind = bodyKind(mediaType)
  if (kind === 'multipart') checkFields(body)
  return {
    kind,
    mediaType: mediaType === '*/*' ? 'application/json' : mediaType,
    charset: kind === 'text' ? sentCharset(contentType(block) ?? mediaType) : 'utf-8',
    value:
      argument === undefined
        ? parseTemplate(body.content, declared)
        : { kind: 'argument', name: argument },
    parameter: argument ?? 'body',
    encoding: body.encoding ?? {},
    nestedArrays: block.nestedArrays,
  }
}

/** The content type that the declaration sets itself; of several the last is sent. */
function contentType({ headers }: HttpBackend): string | undefined {
  return Object.entries(headers ?? {})
    .filter(([name]) => name.toLowerCase() === 'content-type')
    .map(([, value]) => value)
    .findLast((value) => typeof value === 'string')
}

function checkFields({ encoding }: HttpBody): void {
  for (const { contentType: type = '', file } of Object.values(encoding ?? {})) {
    // A file has the bytes that it has.
    if (file !== true) sentCharset(type)
  }
}

function sentCharset(mediaType: string): string {
  const name = textCharset(mediaType)
  if (sentCharsets.includes(name)) return name
  throw blockFault(
    'body',
    `A text cannot be sent in the charset "${name}".`,
    `Use ${sentCharsets.join(', ')}, or a body of bytes.`,
  )
}
