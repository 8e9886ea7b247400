import type { HttpBackend } from './backend.ts'
import { blockFault } from './block-fault.ts'
import type { Part, TargetPlan } from './operation.ts'
import { parseTemplate, type Template } from './template.ts'

/** What the address of a block holds: the target, and the query parts that stood in its text. */
interface CompiledTarget {
  readonly target: TargetPlan
  readonly query: readonly Part[]
}

/**
 * Reads `url`, or `baseUrl` and `path`, of a backend block.
 *
 * The server is the operator's choice (D9): a placeholder before the path is refused (`server-url`), unless
 * the whole address is one placeholder.
 */
export function compileTarget(
  block: HttpBackend,
  declared: ReadonlySet<string>,
  documentBase: string | undefined,
  pathParts: readonly Part[],
): CompiledTarget {
  if (block.url !== undefined) {
    const whole = parseTemplate(block.url, declared)
    if (whole.kind === 'argument') {
      return { target: { kind: 'argument', name: whole.name }, query: [] }
    }
  }
  const { server, path } = splitAddress(block, documentBase)
  const [pathname = '', ...search] = (path.split('#', 1)[0] ?? '').split('?')
  const base = serverUrl(server)
  return {
    target: {
      kind: 'server',
      base,
      path: pathPieces(pathname, declared, pathParts),
      fixedQuery: search.length === 0 ? '' : literalQuery(search.join('?'), declared),
    },
    query: search.length === 0 ? [] : templatedQuery(search.join('?'), declared),
  }
}

function splitAddress(
  block: HttpBackend,
  documentBase: string | undefined,
): { readonly server: string; readonly path: string } {
  if (block.url !== undefined) {
    const [, server = block.url, path = ''] = /^([^:]+:\/\/[^/?#]*)(.*)$/s.exec(block.url) ?? []
    return { server, path }
  }
  const server = documentBase ?? block.baseUrl
  if (server === undefined || block.path === undefined) {
    throw blockFault(
      'server-url',
      'The tool names no address.',
      'Give "url", or "path" with "baseUrl" or "document".',
    )
  }
  return { server, path: block.path }
}

/** A configured server as a URL without a trailing slash; an address that the model could bend is refused. */
function serverUrl(text: string): URL {
  if (/[{}]/.test(text)) {
    throw blockFault(
      'server-url',
      `The server "${text}" holds a placeholder; servers are chosen by the operator.`,
      'Write the server out.',
    )
  }
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw blockFault(
      'server-url',
      `"${text}" is not an absolute http or https address.`,
      'Write it whole, such as "https://api.example.com/v1".',
    )
  }
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') {
    throw blockFault('server-url', 'A server holds no user name or password.', 'Use "auth".')
  }
  url.pathname = url.pathname.replace(/\/+$/, '')
  url.search = ''
  url.hash = ''
  return url
}

function pathPieces(
  pathname: string,
  declared: ReadonlySet<string>,
  parts: readonly Part[],
): readonly (string | Part)[] {
  const pieces: (string | Part)[] = []
  const template = pathname === '' || pathname.startsWith('/') ? pathname : `/${pathname}`
  if (/(?:^|\/)\.{1,2}(?:\/|$)/.test(template)) {
    throw blockFault(
      'path-template',
      `The path "${template}" holds a dot segment.`,
      'Write the path without "." and "..".',
    )
  }
  for (const [index, text] of template.split(/\{\{?([^{}]+)\}?\}/).entries()) {
    if (index % 2 === 1) pieces.push(pathPart(text, declared, parts))
    else if (text !== '') pieces.push(literalPath(text))
  }
  return pieces
}

function pathPart(name: string, declared: ReadonlySet<string>, parts: readonly Part[]): Part {
  const known = parts.find(({ plan }) => plan.name === name)
  if (known) return known
  if (declared.has(name)) {
    return { plan: { name, style: 'simple', explode: false }, value: { kind: 'argument', name } }
  }
  throw blockFault(
    'placeholder',
    `The path has a placeholder "{${name}}", but the tool has no such parameter.`,
    `Declare the parameter "${name}", or remove the placeholder.`,
  )
}

/** Literal text of a path, encoded as a URL parser would; what is encoded already stays. */
function literalPath(text: string): string {
  return encodeURI(text).replaceAll('%25', '%')
}

function queryItems(
  search: string,
  declared: ReadonlySet<string>,
): readonly { readonly name: string; readonly text: string; readonly value: Template }[] {
  return search
    .split('&')
    .filter((item) => item !== '')
    .map((item) => {
      const [name = '', ...rest] = item.split('=')
      return { name, text: item, value: parseTemplate(rest.join('='), declared) }
    })
}

function literalQuery(search: string, declared: ReadonlySet<string>): string {
  return queryItems(search, declared)
    .filter(({ value }) => value.kind === 'literal')
    .map(({ text }) => encodeURI(text).replaceAll('%25', '%'))
    .join('&')
}

function templatedQuery(search: string, declared: ReadonlySet<string>): readonly Part[] {
  return queryItems(search, declared)
    .filter(({ value }) => value.kind !== 'literal')
    .map(({ name, value }) => ({ plan: { name, style: 'form', explode: true }, value }))
}
