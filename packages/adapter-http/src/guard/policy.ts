import { parseAllowList, type AllowList } from './allow-list.ts'

/** Where a tool may connect to (D10): the operator's word, never the model's. */
export interface TargetPolicy {
  /** Schemes with their colon. */
  readonly schemes: readonly string[]
  readonly ports: readonly number[]
  readonly allow: AllowList
  /** How many redirects are followed; 0: none. */
  readonly redirects: number
}

/** What an operator writes about the targets of a document or a tool. */
export interface TargetOptions {
  /** Names, addresses or CIDR ranges that may be reached although they are not public. Metadata addresses stay refused. */
  readonly allow?: readonly string[]
  /** Ports that may be dialled; default 80, 443 and the port of the configured server. */
  readonly ports?: readonly number[]
  /** Default: https and http. */
  readonly schemes?: readonly ('http' | 'https')[]
  /** How many redirects are followed, each judged anew; default 0. */
  readonly redirects?: number
}

/** Puts the options of adapter, document and tool together; `base` is the configured server, whose port is allowed. */
export function targetPolicy(options: TargetOptions, base: URL | undefined): TargetPolicy {
  const ports = options.ports ?? [80, 443, ...(base ? [portOf(base)] : [])]
  return {
    schemes: (options.schemes ?? ['https', 'http']).map((scheme) => `${scheme}:`),
    ports,
    allow: parseAllowList(options.allow ?? []),
    redirects: options.redirects ?? 0,
  }
}

/** The port that a URL is reached at, its scheme's own if it names none. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port)
  return url.protocol === 'https:' ? 443 : 80
}
