import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

import type { HttpServer } from '../options.ts'
import type { ConnectParts } from './connect.ts'
import type { Connection } from './connection.ts'
import { openConnection } from './live.ts'
import { createSecrets } from './placeholders.ts'

const probeMs = 3000

/** Connects over Streamable HTTP. */
export function connectHttp(
  config: HttpServer,
  parts: ConnectParts,
  signal: AbortSignal,
): Promise<Connection> {
  const secrets = createSecrets(parts.server, parts.secret)
  const headers = Object.fromEntries(
    Object.entries(config.headers ?? {}).map(([name, value]) => [name, secrets.fill(value)]),
  )
  const transport = new StreamableHTTPClientTransport(new URL(secrets.fill(config.url)), {
    requestInit: { headers },
  })
  return openConnection(
    {
      ...parts,
      mode: config.era === '2025' ? 'legacy' : 'auto',
      probeMs,
      transport,
      remains: () => '',
      farewell: () => transport.terminateSession().catch(() => undefined),
    },
    signal,
  )
}
