import process from 'node:process'

import type { StdioServer } from '../options.ts'
import { serverEnvironment } from '../stdio/environment.ts'
import { StdioTransport } from '../stdio/transport.ts'
import { cleanText } from '../text/clean.ts'
import { messageOf } from '../text/message-of.ts'
import { redact } from '../text/redact.ts'
import { readableTail } from '../text/tail.ts'
import type { ConnectParts } from './connect.ts'
import type { Connection } from './connection.ts'
import { lineLog } from './line-log.ts'
import { openConnection } from './live.ts'
import { noiseLog } from './noise.ts'
import { createSecrets } from './placeholders.ts'
import { maxBytesOf, probeMs } from './settings.ts'

/** Starts a server as a child process and shakes hands with it. */
export function connectStdio(
  config: StdioServer,
  parts: ConnectParts,
  signal: AbortSignal,
): Promise<Connection> {
  const { server, log } = parts
  const secrets = createSecrets(server, parts.secret)
  const shown = (text: string): string => redact(cleanText(text), secrets.known)
  let noiseLines = 0
  const debugLog = (output: 'stdout' | 'stderr') =>
    config.debug === true ? lineLog(server, output, log, shown) : undefined
  const logNoise = noiseLog(server, log, shown, debugLog('stdout'))
  const logStderr = debugLog('stderr')

  const transport = new StdioTransport(
    {
      command: config.command,
      args: (config.args ?? []).map((argument) => secrets.fill(argument)),
      env: serverEnvironment(
        process.env,
        filled(config.env, secrets.fill),
        config.inheritEnv === true,
      ),
      ...(config.cwd === undefined ? {} : { cwd: secrets.fill(config.cwd) }),
      maxMessageBytes: maxBytesOf(config),
      graceMs: config.graceMs ?? 500,
    },
    {
      stderrLine: (line) => logStderr?.(line),
      noise: (line, count) => {
        noiseLines = count
        logNoise(line, count)
      },
    },
  )

  return openConnection(
    {
      ...parts,
      era: config.era ?? '2025',
      probeMs,
      transport,
      remains: () => remains(transport, shown),
      report: () => ({ noiseLines, stderrTail: tailOf(transport, shown) }),
    },
    signal,
  ).catch((error: unknown) => {
    const why = remains(transport, shown)
    const reason = messageOf(error)
    throw new Error(why === '' ? shown(reason) : `${shown(reason)} (${why})`, { cause: error })
  })
}

function filled(
  env: Readonly<Record<string, string>> | undefined,
  fill: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(env ?? {}).map(([name, value]) => [name, fill(value)]))
}

function remains(transport: StdioTransport, shown: (text: string) => string): string {
  const { ending } = transport
  const tail = tailOf(transport, shown)
  return [
    ...(ending === undefined ? [] : [ending]),
    ...(tail === '' ? [] : [`stderr: ${tail}`]),
  ].join('; ')
}

/** Secrets go first: what looks like a path in one would be cut out of it, and the rest not known again. */
function tailOf({ stderrTail }: StdioTransport, shown: (text: string) => string): string {
  return readableTail(shown(stderrTail))
}
