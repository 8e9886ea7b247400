import { basename, resolve } from 'node:path'

import { mcpAdapter, type McpAdapter, type McpServer } from '@callgate/adapter-mcp'

/** What a person wants to know of a server that is not there yet, and how long it may take. */
export interface ServerStart {
  /** The command to type, or the address. */
  readonly shown: string
  /** Milliseconds that the server may take until it is ready. */
  readonly limitMs: number
}

/** By the name of the server. */
export type ServerStarts = { readonly [name: string]: ServerStart }

const packageRunners =
  /^(?:npx|npm|pnpm|bunx|yarn|uvx|uv|pipx|docker|podman|deno)(?:\.cmd|\.exe)?$/i
/** A package runner downloads the server first, and one that is ended meanwhile leaves half a package behind. */
const runnerMs = 120_000
const otherMs = 10_000
/** The start of the gateway waits this long in silence; from then on a person is told. */
const silentMs = 3000

type Servers = { readonly [name: string]: McpServer }

/** The adapter of some servers, and what is known of their starts. */
export interface StartableServers {
  readonly adapter: McpAdapter
  readonly starts: ServerStarts
}

/** The same servers with the programs and sockets of a configuration file in its folder, where they say no other. */
export function inFolder(servers: Servers, folder: string): Servers {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [name, placedIn(folder, server)]),
  )
}

function placedIn(folder: string, server: McpServer): McpServer {
  if (server.command !== undefined) {
    return { ...server, cwd: resolve(folder, filled(server.cwd ?? '.')) }
  }
  return server.socket === undefined
    ? server
    : { ...server, socket: resolve(folder, filled(server.socket)) }
}

/** With its secrets, since one may make a path whole; one that is missing stays, and is told of later. */
function filled(path: string): string {
  return path.replaceAll(
    /\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g,
    (reference, name: string) => process.env[name] ?? reference,
  )
}

/** Makes the adapter of some servers, each of them with time enough to start. */
export function startableServers(servers: Servers): StartableServers {
  const entries = Object.entries(servers).map(([name, server]) => {
    return { name, server, start: { shown: shownAs(server), limitMs: limitOf(server) } }
  })
  return {
    adapter: mcpAdapter({
      servers: Object.fromEntries(
        entries.map(({ name, server, start }) => [
          name,
          { ...server, connectTimeoutMs: start.limitMs },
        ]),
      ),
      startConcurrency: Math.max(1, entries.length),
      startWaitMs: silentMs,
    }),
    starts: Object.fromEntries(entries.map(({ name, start }) => [name, start])),
  }
}

function limitOf(server: McpServer): number {
  const slow = server.command !== undefined && packageRunners.test(basename(server.command))
  return Math.ceil(Math.max(slow ? runnerMs : otherMs, server.timeoutMs ?? 0))
}

function shownAs(server: McpServer): string {
  if (server.url !== undefined) return server.url
  if (server.command !== undefined) return [server.command, ...(server.args ?? [])].join(' ')
  return server.socket ?? 'it'
}
