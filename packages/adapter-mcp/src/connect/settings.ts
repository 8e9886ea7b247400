import { basename } from 'node:path'

import type { Limits } from '../channel/pending.ts'
import type { TlsMaterial } from '../http/dispatcher.ts'
import type { HttpServer, McpServer, ServerSettings } from '../options.ts'

const packageRunners =
  /^(?:npx|npm|pnpm|bunx|yarn|uvx|uv|pipx|docker|podman|deno)(?:\.cmd|\.exe)?$/i

/** How long a server may think about what era it is of. */
export const probeMs = 3000

/** What goes for one tool of a server. */
export function settingsOf(settings: ServerSettings, tool: string): ServerSettings {
  const { tools } = settings
  return tools !== undefined && Object.hasOwn(tools, tool)
    ? { ...settings, ...tools[tool] }
    : settings
}

/** The limits of one request to a server. */
export function limitsOf(settings: ServerSettings): Limits {
  return {
    idleMs: settings.timeoutMs ?? 60_000,
    totalMs: Math.max(settings.totalTimeoutMs ?? 600_000, settings.timeoutMs ?? 0),
    humanMs: settings.humanTimeoutMs ?? 300_000,
  }
}

/** A timer that is set for longer fires at once. */
const longestTimer = 2_147_483_647

/** When the gateway gives a call up at the latest: the adapter's own limits know of progress and of humans. */
export function backstopOf(settings: ServerSettings): number {
  const { totalMs, humanMs } = limitsOf(settings)
  return Math.min(longestTimer, totalMs + humanMs)
}

/** A package runner may have to download the server first. */
export function connectMsOf(server: McpServer): number {
  if (server.connectTimeoutMs !== undefined) return server.connectTimeoutMs
  return server.command !== undefined && packageRunners.test(basename(server.command))
    ? 30_000
    : 10_000
}

export function maxBytesOf(settings: ServerSettings): number {
  return settings.maxMessageBytes ?? 64 * 1024 * 1024
}

/** The certificates that a server is configured with; `fill` puts secrets in place. */
export function tlsOf({ tls = {} }: HttpServer, fill: (text: string) => string): TlsMaterial {
  return Object.fromEntries(Object.entries(tls).map(([name, text]) => [name, fill(text)]))
}
