import type { HttpServer, McpServer, ServerSettings, StdioServer } from '../options.ts'
import { isRecord, type JsonRecord } from '../record.ts'
import { refusal } from './refusal.ts'

/** The kinds of transport by the names that configuration files have for them. */
const transports: { readonly [name: string]: 'command' | 'socket' | 'url' } = {
  stdio: 'command',
  socket: 'socket',
  http: 'url',
  'streamable-http': 'url',
  streamable_http: 'url',
  sse: 'url',
}

const text = 'a text'
const texts = 'a list of texts'
const map = 'an object of texts'
const flag = 'true or false'
const seconds = 'a number of seconds above 0'

/** The fields of a server and what each holds. */
const fields: { readonly [name: string]: string } = {
  transport: text,
  command: text,
  args: texts,
  env: map,
  cwd: text,
  socket: text,
  url: text,
  headers: map,
  plain_http: flag,
  timeout: seconds,
  timeout_seconds: seconds,
  debug: flag,
  trust: flag,
  deferred: flag,
  lazy: flag,
}

const fits: { readonly [what: string]: (value: unknown) => boolean } = {
  [text]: (value) => typeof value === 'string' && value !== '',
  [texts]: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  [map]: (value) =>
    isRecord(value) && Object.values(value).every((item) => typeof item === 'string'),
  [flag]: (value) => typeof value === 'boolean',
  [seconds]: (value) => typeof value === 'number' && value > 0 && value <= 2_147_483,
}

/**
 * Reads the `mcp_servers` block of a configuration file (S1, S2) into the option `servers`: each with `transport`
 * (`stdio`, `http`, `sse` or `socket`; else what its other fields say), `command`, `args`, `env`, `cwd`, or `url`,
 * `headers`, `plain_http`, or `socket`, and `timeout` or `timeout_seconds` for a call that is silent, in seconds, `debug`, `trust`,
 * `deferred`, `lazy`. `{env:NAME}` stays for the host to resolve.
 *
 * @param block the parsed block, an object by server name.
 * @throws InvalidOptionsError naming the place and what fits there.
 */
export function serversFromConfig(block: unknown): { readonly [name: string]: McpServer } {
  if (!isRecord(block)) {
    throw faulty('/mcp_servers', 'mcp_servers is no object', 'Write each server under its name.')
  }
  return Object.fromEntries(
    Object.entries(block).map(([name, server]) => [name, serverOf(name, server)]),
  )
}

function serverOf(name: string, server: unknown): McpServer {
  const where = `/mcp_servers/${name}`
  if (!isRecord(server)) {
    throw faulty(where, `MCP server "${name}" is no object`, 'Give it a command or a url.')
  }
  checkFields(name, server, where)
  checkTransport(name, server, where)
  const settings = settingsOf(name, server, where)
  const picked = (names: readonly string[]): object =>
    Object.fromEntries(
      names.flatMap((field) => (server[field] === undefined ? [] : [[field, server[field]]])),
    )
  if (server['url'] !== undefined) {
    const era = server['transport'] === 'sse' ? { era: 'sse' as const } : {}
    const plain = server['plain_http'] === true ? { plainHttp: true } : {}
    return { ...picked(['url', 'headers']), ...settings, ...era, ...plain } as HttpServer
  }
  return { ...picked(['command', 'socket', 'args', 'env', 'cwd']), ...settings } as StdioServer
}

function checkFields(name: string, server: JsonRecord, where: string): void {
  for (const [field, value] of Object.entries(server)) {
    const wanted = Object.hasOwn(fields, field) ? fields[field] : undefined
    if (wanted === undefined) {
      const known = Object.keys(fields).join(', ')
      const what = `MCP server "${name}" has the unknown field "${field}"`
      throw faulty(`${where}/${field}`, what, `It may have ${known}.`)
    }
    if (fits[wanted]?.(value) === true) continue
    const what = `MCP server "${name}": "${field}" is ${JSON.stringify(value)}`
    throw faulty(`${where}/${field}`, what, `Give ${wanted}.`)
  }
}

function checkTransport(name: string, server: JsonRecord, where: string): void {
  const given = ['command', 'socket', 'url'].filter((field) => server[field] !== undefined)
  if (given.length > 1) {
    const what = `MCP server "${name}" has ${given.join(' and ')}`
    throw faulty(where, what, 'Keep one of them.')
  }
  // A text, as was looked at before.
  const transport = server['transport'] as string | undefined
  if (transport !== undefined && !Object.hasOwn(transports, transport)) {
    const what = `MCP server "${name}" has the unknown transport "${transport}"`
    throw faulty(`${where}/transport`, what, `Use ${Object.keys(transports).join(', ')}.`)
  }
  const needed = transport === undefined ? given[0] : transports[transport]
  if (needed !== undefined && given[0] === needed) return
  const what =
    transport === undefined
      ? `MCP server "${name}" has neither command nor url`
      : `MCP server "${name}" has the transport "${transport}" and no "${String(needed)}"`
  const hint =
    needed === undefined ? 'Give one of them.' : `Give "${needed}", or another transport.`
  throw faulty(where, what, hint)
}

function settingsOf(name: string, server: JsonRecord, where: string): ServerSettings {
  const { timeout, timeout_seconds: long, debug, trust, deferred, lazy } = server
  if (timeout !== undefined && long !== undefined && timeout !== long) {
    const what = `MCP server "${name}" has timeout and timeout_seconds, which differ`
    throw faulty(`${where}/timeout`, what, 'Keep one of them; both are seconds.')
  }
  const limit = long ?? timeout
  return {
    ...(typeof limit === 'number' ? { timeoutMs: Math.ceil(limit * 1000) } : {}),
    ...(typeof debug === 'boolean' ? { debug } : {}),
    ...(typeof trust === 'boolean' ? { trust } : {}),
    ...(typeof deferred === 'boolean' ? { deferred } : {}),
    ...(typeof lazy === 'boolean' ? { lazy } : {}),
  }
}

function faulty(where: string, what: string, hint: string): Error {
  return refusal('mcp-servers-config', where, `${what}.`, hint)
}
