import type { Logger } from '@callgate/spec'

import type { Authorizer } from '../auth/authorizer.ts'
import type { Callbacks } from '../callbacks/callbacks.ts'
import type { Frame } from '../channel/channel.ts'
import type { McpServer } from '../options.ts'
import type { Credentials } from '../text/credentials.ts'
import type { Connection, ConnectionEvents } from './connection.ts'
import { connectHttp, type ServerMemory } from './http.ts'
import { useReadyClient } from './ready-client.ts'
import { connectSocket } from './socket.ts'
import { connectStdio } from './stdio.ts'

/** What every kind of connection needs from the adapter. */
export interface ConnectParts {
  readonly server: string
  /** How the client names itself; else as this package. */
  readonly clientInfo: { readonly name: string; readonly version: string } | undefined
  readonly callbacks: Callbacks
  readonly log: Logger
  readonly events: ConnectionEvents
  /** How long a server whose start is given up may take to end, in milliseconds; as it is at that time. */
  readonly withinMs: () => number
  /** Outlives the connections of a server. */
  readonly memory: ServerMemory
  readonly secret: (name: string) => string
  /** Made at the first connection and kept for the next ones. */
  readonly authorizer: (url: URL, fill: (text: string) => string) => Authorizer | undefined
  /** What the server is sent to know its user by; outlives its connections. */
  readonly credentials: Credentials
  readonly debug: (message: string, fields: object) => void
  /** Only where the configuration wants every message logged. */
  readonly frame?: Frame | undefined
}

/** Connects to a server in the way its configuration says; rejects when that fails or `signal` fires. */
export async function connect(
  config: McpServer,
  parts: ConnectParts,
  signal: AbortSignal,
): Promise<Connection> {
  if (config.client !== undefined) return useReadyClient(config.client, parts.events)
  if (config.command !== undefined) return connectStdio(config, parts, signal)
  return config.socket !== undefined
    ? connectSocket(config, parts, signal)
    : connectHttp(config, parts, signal)
}
