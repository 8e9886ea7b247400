import { ToolError } from '@callgate/spec'

import { isLoopback } from '../callbacks/url.ts'
import { faultOf, unanswered } from '../channel/fault.ts'
import { unsendable } from '../http/headers.ts'
import { LegacySseTransport } from '../http/legacy-sse.ts'
import type { HttpParameters } from '../http/parameters.ts'
import { faultError } from '../http/status.ts'
import { StreamableHttpTransport } from '../http/transport.ts'
import type { HeaderValues, HttpServer } from '../options.ts'
import type { ConnectParts } from './connect.ts'
import type { Connection } from './connection.ts'
import { openConnection } from './live.ts'
import { createSecrets, type Secrets } from './placeholders.ts'
import { maxBytesOf, probeMs, tlsOf } from './settings.ts'

/** Connects over Streamable HTTP, or over HTTP+SSE where the server knows only that. */
export async function connectHttp(
  config: HttpServer,
  parts: ConnectParts,
  signal: AbortSignal,
): Promise<Connection> {
  const parameters = parametersOf(config, parts)
  const open = (era: Era): Promise<Connection> => {
    const older = era === 'sse'
    const transport = older
      ? new LegacySseTransport(parameters)
      : new StreamableHttpTransport(parameters)
    const live = { ...parts, era: older ? '2025' : era, probeMs, transport, remains: () => '' }
    return openConnection(live, signal)
  }
  const { memory } = parts
  const era = config.era ?? 'auto'
  if (era !== 'auto') return open(era)
  if (memory.era !== undefined && Date.now() - memory.foundAt < eraHoldsMs) {
    const known = memory.era
    // Forgotten until it has proved itself again: a server may have been replaced by a newer one.
    delete memory.era
    const connection = await open(known)
    memory.era = known
    return connection
  }
  return findEra(open, memory)
}

type Era = 'auto' | 'modern' | '2025' | 'sse'

/** How long what was found out is relied on: a server that is replaced by a newer one is seen again after it. */
const eraHoldsMs = 60 * 60_000

/** What was found out about a server at an earlier connection, and when (as `Date.now()` has it). */
export interface ServerMemory {
  era?: 'modern' | '2025' | 'sse'
  foundAt: number
}

async function findEra(
  open: (era: Era) => Promise<Connection>,
  memory: ServerMemory,
): Promise<Connection> {
  memory.foundAt = Date.now()
  try {
    const connection = await open('auto')
    memory.era = connection.era === 'modern' ? 'modern' : '2025'
    return connection
  } catch (error) {
    if (!isOlder(error)) throw error
    try {
      const connection = await open('sse')
      memory.era = 'sse'
      return connection
    } catch {
      // The first answer says more than that the older transport is not there either.
      throw error
    }
  }
}

/** The answers to a POST by which a server of the older transport is known. */
function isOlder(error: unknown): boolean {
  const fault = faultOf(error, { kind: 'lost', reason: '' })
  if (fault.kind === 'http') return [400, 404, 405].includes(fault.status)
  return error instanceof Error && error.message.includes(unanswered)
}

function parametersOf(config: HttpServer, parts: ConnectParts): HttpParameters {
  const secrets = createSecrets(parts.server, (name) => parts.secret(name))
  const url = addressOf(config, secrets, parts.server)
  const given = config.headers
  const checked = (values: HeaderValues): Record<string, string> => fillHeaders(values, secrets)
  const headers =
    typeof given === 'function' ? async () => checked(await given()) : () => checked(given ?? {})
  refuseOpenCredentials(url, config, secrets, parts.server)
  return {
    url,
    headers,
    authorizer: parts.authorizer(url, secrets.fill),
    credentials: parts.credentials,
    tls: tlsOf(config, secrets.fill),
    maxMessageBytes: maxBytesOf(config),
    debug: (message, fields) => parts.debug(message, { server: parts.server, ...fields }),
  }
}

/** What a secret made of it was not looked at before. */
function addressOf(config: HttpServer, secrets: Secrets, server: string): URL {
  const filled = secrets.fill(config.url)
  const url = URL.canParse(filled) ? new URL(filled) : undefined
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url
  throw new ToolError({
    code: 'backend_unavailable',
    message: `MCP server "${server}": what ${config.url} stands for is no http or https address, such as https://host/mcp.`,
    rule: 'mcp-url',
    started: 'no',
  })
}

/** Names in lower case, secrets put in. @throws FaultError for what cannot be sent. */
function fillHeaders(values: HeaderValues, secrets: Secrets): Record<string, string> {
  const result: Record<string, string> = {}
  for (const [name, value] of Object.entries(values)) {
    result[name.toLowerCase()] = secrets.fill(value)
  }
  const bad = unsendable(result)
  // The value may be a secret: only the name is told.
  if (bad !== undefined) {
    throw faultError({ kind: 'unsent', reason: `the header ${bad} holds what a header cannot` })
  }
  return result
}

/** Credentials do not travel in the clear beyond this machine. */
function refuseOpenCredentials(
  url: URL,
  config: HttpServer,
  secrets: Secrets,
  server: string,
): void {
  if (url.protocol === 'https:' || isLoopback(url.hostname)) return
  const names = typeof config.headers === 'object' ? Object.entries(config.headers) : []
  const credentials =
    typeof config.headers === 'function' ||
    config.auth !== undefined ||
    secrets.known.size > 0 ||
    names.some(
      ([name, value]) => /auth|key|token|cookie|secret/i.test(name) || value.includes('{env:'),
    )
  if (!credentials || config.plainHttp === true) return
  throw new ToolError({
    code: 'backend_unavailable',
    message: `MCP server "${server}": credentials are sent over https only, not to ${url.origin}; plainHttp: true allows it in a network that is trusted.`,
    rule: 'https-required',
    started: 'no',
  })
}
