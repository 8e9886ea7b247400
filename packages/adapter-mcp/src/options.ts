import type { HttpAuth } from './auth/settings.ts'
import type { ElicitationHandler, RootsOption, SamplingHandler } from './callbacks/types.ts'
import type { ReadyClient } from './connect/ready-client.ts'
import type { ToolCache } from './discover/tool-cache.ts'
import type { PinSettings } from './trust/pins.ts'

/** A budget for completions; beyond it the server gets an error. */
export interface SamplingLimits {
  /** Default 30. */
  readonly perMinute?: number
  /** At the same time. Default 4. */
  readonly atOnce?: number
  /** Tokens of one answer: a request for more is cut down to it. Default 4096. */
  readonly maxTokens?: number
  /** Tokens of all answers that were asked for in a minute. Default 50 000. */
  readonly tokensPerMinute?: number
}

/** Options of `mcpAdapter` (R8.4). */
export interface McpOptions {
  /** By name: letters, digits, `_` and `-`. The name becomes part of every tool id: `mcp::<server>::<tool>`. */
  readonly servers: { readonly [name: string]: McpServer }
  /** How the client names itself to servers. Default: `callgate` and this package's version. */
  readonly clientInfo?: { readonly name: string; readonly version: string }
  /** How many servers begin at the same time; one that takes long makes room. Default 8. */
  readonly startConcurrency?: number
  /** Milliseconds that the start of the gateway waits for slow servers; their tools come later. Default 5000. */
  readonly startWaitMs?: number
  /** Knows tools again, and keeps back what changed since it was approved. Default: not. */
  readonly pins?: PinSettings
  /**
   * Keeps the tools of servers between runs: they are offered at once, while the servers start in the background.
   * One for each user, where servers offer users different tools. Default: none, the start waits for each server.
   */
  readonly toolCache?: ToolCache
  /** Answers a server's question to the user; without it the adapter does not claim to have a user. */
  readonly elicitation?: ElicitationHandler
  /** Answers a server's request for a completion; without it the adapter does not claim to have a model. */
  readonly sampling?: SamplingHandler
  /** What servers may spend by `sampling`, each of them. */
  readonly samplingLimits?: SamplingLimits
  /** Folders that servers may be told about. */
  readonly roots?: RootsOption
}

export type McpServer = StdioServer | SocketServer | HttpServer | ClientServer

/** Keeps the fields out that would make a server of two kinds. */
type Only<Other extends string> = { readonly [name in Other]?: never }

/** What every kind of server can be given. Times in milliseconds, sizes in bytes. */
export interface ServerSettings {
  /** Whether the server's hints (`readOnlyHint`, `idempotentHint`) are believed. Default false: hints only narrow. */
  readonly trust?: boolean
  /** Whether the tools are kept from the model until searched for. Default: as the gateway has it. */
  readonly deferred?: boolean
  /** With a `toolCache` that knows its tools: starts the server at the first call, not before. Default false. */
  readonly lazy?: boolean
  /** How long a call may be silent; progress starts it anew. Default 60 000. */
  readonly timeoutMs?: number
  /** How long a call may take in all. Default 600 000. */
  readonly totalTimeoutMs?: number
  /** How long one answer of a human may take, while the other two stand still. Default 300 000. */
  readonly humanTimeoutMs?: number
  /** Default 30 000 for package runners such as npx and uvx, else 10 000. */
  readonly connectTimeoutMs?: number
  /** Largest message taken from the server, 1 KiB to 256 MiB. Default 64 MiB. */
  readonly maxMessageBytes?: number
  /** What a result that does not fit the tool's output schema leads to. Default `warn`: a note in its metadata. */
  readonly outputMismatch?: 'warn' | 'error' | 'off'
  /** Names of the tools of the server that are offered; a `*` stands for any characters. Default: all. */
  readonly allow?: readonly string[]
  /** By the name that the server has for a tool: what goes for that tool alone. */
  readonly tools?: { readonly [name: string]: ToolSettings }
  /** Offers the resources of the server as tools: `list_resources` and `read_resource`. Default false. */
  readonly resources?: boolean
  /** Offers the prompts of the server as tools: `list_prompts` and `get_prompt`. Default false. */
  readonly prompts?: boolean
  /** Logs every message, secrets left out, and every line of stderr. Default false. */
  readonly debug?: boolean
}

/** What can be set for one tool; it wins over what is set for its server. */
export type ToolSettings = Pick<
  ServerSettings,
  'deferred' | 'timeoutMs' | 'totalTimeoutMs' | 'humanTimeoutMs' | 'outputMismatch'
>

/** A server that is started as a child process. `{env:NAME}` in args, env and cwd is resolved by the host. */
export interface StdioServer extends ServerSettings, Only<'socket' | 'url' | 'client'> {
  readonly command: string
  /** Protocol revision: `2025` starts with initialize, `modern` is 2026-07-28, `auto` asks the server. Default `2025`. */
  readonly era?: 'auto' | 'modern' | '2025'
  readonly args?: readonly string[]
  readonly env?: { readonly [name: string]: string }
  /** Hands the whole environment of the host to the server. Default false: a short allow-list. */
  readonly inheritEnv?: boolean
  readonly cwd?: string
  /** How long the server has to end by itself when its input ends. Default 500. */
  readonly graceMs?: number
  readonly restart?: RestartSettings
}

/** A server that listens at a local socket: a path, or a pipe of Windows; messages are framed as over stdio. */
export interface SocketServer extends ServerSettings, Only<'command' | 'url' | 'client'> {
  readonly socket: string
  readonly era?: 'auto' | 'modern' | '2025'
  readonly restart?: RestartSettings
}

/**
 * How soon a server that died may be started again; milliseconds. It is by the next call, and by itself only where its
 * tools are not known yet or somebody waits for its resources to change.
 */
export interface RestartSettings {
  /** Upper bound of the first delay; it doubles with each failure in a row. Default 1000. */
  readonly initialMs?: number
  /** Upper bound of every delay. Default 60 000. */
  readonly maxMs?: number
  /** Uptime after which a failure counts as the first again. Default 60 000. */
  readonly stableMs?: number
}

/** A server over Streamable HTTP, or the older HTTP+SSE. `{env:NAME}` in url and headers is resolved by the host. */
export interface HttpServer extends ServerSettings, Only<'command' | 'socket' | 'client'> {
  readonly url: string
  /** As for stdio, and `sse` for the transport of 2024-11-05. Default `auto`, which falls back to each of them. */
  readonly era?: 'auto' | 'modern' | '2025' | 'sse'
  /** Sent with every request; a function is asked anew for each. */
  readonly headers?:
    | { readonly [name: string]: string }
    | (() => HeaderValues | Promise<HeaderValues>)
  readonly auth?: HttpAuth
  /** Sends credentials without encryption, in a network that is trusted. Default false: only to this machine. */
  readonly plainHttp?: boolean
  /** For a server behind a certificate authority of one's own, or one that wants a certificate of its clients. */
  readonly tls?: TlsSettings
}

/** PEM texts; `{env:NAME}` in them is resolved by the host. */
export interface TlsSettings {
  /** In place of the authorities that Node trusts. */
  readonly ca?: string
  /** The client's own certificate, with its key. */
  readonly cert?: string
  readonly key?: string
}

export type HeaderValues = { readonly [name: string]: string }

/** A client of the official SDK (1.x or 2.x) that is already connected; its life stays its owner's. */
export interface ClientServer extends ServerSettings, Only<'command' | 'socket' | 'url'> {
  readonly client: ReadyClient
}
