import type { SocketServer } from '../options.ts'
import { SocketTransport } from '../stdio/socket-transport.ts'
import { cleanText } from '../text/clean.ts'
import type { ConnectParts } from './connect.ts'
import type { Connection, ConnectionReport } from './connection.ts'
import { lineLog } from './line-log.ts'
import { openConnection } from './live.ts'
import { noiseLog } from './noise.ts'
import { createSecrets } from './placeholders.ts'
import { maxBytesOf, probeMs } from './settings.ts'

/** Connects to a server that listens at a local socket. */
export function connectSocket(
  config: SocketServer,
  parts: ConnectParts,
  signal: AbortSignal,
): Promise<Connection> {
  const { fill } = createSecrets(parts.server, parts.secret)
  let noiseLines = 0
  const logNoise = noiseLog(
    parts.server,
    parts.log,
    cleanText,
    config.debug === true ? lineLog(parts.server, 'stdout', parts.log, cleanText) : undefined,
  )
  const transport = new SocketTransport(fill(config.socket), maxBytesOf(config), {
    noise: (line, count) => {
      noiseLines = count
      logNoise(line, count)
    },
  })
  const era = config.era ?? '2025'
  const report = (): ConnectionReport => ({ noiseLines, stderrTail: '' })
  const remains = (): string => transport.ending
  return openConnection({ ...parts, era, probeMs, transport, remains, report }, signal)
}
