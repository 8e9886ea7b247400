import { ToolError } from '@callgate/spec'

import { isLoopback } from '../callbacks/url.ts'
import { faultOf, unanswered } from '../channel/fault.ts'
import { unsendable } from '../http/headers.ts'
import { LegacySseTransport } from '../http/legacy-sse.ts'
import type { HttpParameters } from '../http/parameters.ts'
import { faultError } from '../http/status.ts'
import { StreamableHttpTransport } from '../http/transport.ts'
import type { HttpServer } from '../options.ts'
import type { ConnectParts } from './connect.ts'
import type { Connection } from './connection.ts'
import { openConnection } from './live.ts'
import { createSecrets, type Secrets } from './placeholders.ts'
import { maxBytesOf, probeMs } from './settings.ts'

/** Connects over Streamable HTTP, or over HTTP+SSE where the server knows only that. */
export async function connectHttp(
  config: HttpServer,
  parts: ConnectParts,
  signal: AbortSignal,
): Promise<Connection> {
  const parameters = parametersOf(config, parts)
  const open = (
    transport: StreamableHttpTransport | LegacySseTransport,
    era: 'auto' | 'modern' | '2025',
  ) => openConnection({ ...parts, era, probeMs, transport, remains: () => '' }, signal)
  if (config.era === 'sse') return open(new LegacySseTransport(parameters), '2025')
  try {
    return await open(new StreamableHttpTransport(parameters), config.era ?? 'auto')
  } catch (error) {
    if (config.era !== undefined && config.era !== 'auto') throw error
    if (!isOlder(error)) throw error
    try {
      return await open(new LegacySseTransport(parameters), '2025')
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
  const url = new URL(secrets.fill(config.url))
  const headers = async (): Promise<Record<string, string>> => {
    const given =
      typeof config.headers === 'function' ? await config.headers() : (config.headers ?? {})
    const filled = Object.entries(given).map(([name, value]) => [
      name.toLowerCase(),
      secrets.fill(value),
    ])
    const result = Object.fromEntries(filled) as Record<string, string>
    const bad = unsendable(result)
    // The value may be a secret: only the name is told.
    if (bad !== undefined) {
      throw faultError({ kind: 'unsent', reason: `the header ${bad} holds what a header cannot` })
    }
    return result
  }
  refuseOpenCredentials(url, config, secrets, parts.server)
  return {
    url,
    headers,
    authorizer: parts.authorizer(url, secrets.fill),
    maxMessageBytes: maxBytesOf(config),
    debug: (message, fields) => parts.debug(message, { server: parts.server, ...fields }),
  }
}

/** Credentials do not travel in the clear beyond this machine. */
function refuseOpenCredentials(
  url: URL,
  config: HttpServer,
  secrets: Secrets,
  server: string,
): void {
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return
  const names = typeof config.headers === 'object' ? Object.entries(config.headers) : []
  const credentials =
    typeof config.headers === 'function' ||
    config.auth !== undefined ||
    secrets.known.size > 0 ||
    names.some(
      ([name, value]) => /auth|key|token|cookie|secret/i.test(name) || value.includes('{env:'),
    )
  if (!credentials && url.protocol === 'http:') return
  throw new ToolError({
    code: 'backend_unavailable',
    message: `MCP server "${server}": credentials are sent over https only, not to ${url.origin}.`,
    rule: 'https-required',
    started: 'no',
  })
}
