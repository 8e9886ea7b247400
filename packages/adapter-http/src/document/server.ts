import { CallgateError } from '@callgate/spec'

import { isRecord } from './references.ts'

/** The servers that a node lists, variables filled with their defaults: the operator chooses, never the model (D9). */
export function serversOf(node: unknown): readonly string[] {
  const servers = isRecord(node) ? node['servers'] : undefined
  return (Array.isArray(servers) ? (servers as unknown[]) : []).flatMap((server) => {
    if (!isRecord(server) || typeof server['url'] !== 'string') return []
    const variables = isRecord(server['variables']) ? server['variables'] : {}
    return [
      server['url'].replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
        const variable = Object.hasOwn(variables, name) ? variables[name] : undefined
        const value = isRecord(variable) ? variable['default'] : undefined
        return typeof value === 'string' || typeof value === 'number' ? `${value}` : whole
      }),
    ]
  })
}

/**
 * The base of a document's operations: the operator's `server`, or else the first server of the document; a relative
 * one belongs to the address that the document was fetched from, if it was.
 *
 * @throws CallgateError (`server-url`) when neither is an absolute http or https address.
 */
export function documentServer(
  document: Record<string, unknown>,
  name: string,
  server: string | undefined,
  address: string | undefined,
): string {
  const declared = server ?? serversOf(document)[0] ?? swaggerServer(document) ?? '/'
  const isRelative = server === undefined && address !== undefined && !/[{}]/.test(declared)
  const found =
    isRelative && URL.canParse(declared, address) ? new URL(declared, address).href : declared
  if (/^https?:\/\/[^/{}]+/i.test(found) && !/[{}]/.test(found) && URL.canParse(found)) {
    return found.replace(/[?#].*$/s, '').replace(/\/+$/, '')
  }
  throw new CallgateError({
    code: 'invalid_arguments',
    rule: 'server-url',
    where: name,
    message: `The document "${name}" names no server that can be used ("${found}").`,
    hint: 'Set "server" of this document, such as "https://api.example.com/v1".',
  })
}

function swaggerServer(document: Record<string, unknown>): string | undefined {
  const { host, basePath, schemes } = document
  if (typeof host !== 'string') return typeof basePath === 'string' ? basePath : undefined
  const list = Array.isArray(schemes) ? (schemes as unknown[]) : []
  const scheme = list.includes('https') || list.length === 0 ? 'https' : String(list[0])
  return `${scheme}://${host}${typeof basePath === 'string' ? basePath : ''}`
}
