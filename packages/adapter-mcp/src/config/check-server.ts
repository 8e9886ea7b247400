import type { McpServer } from '../options.ts'
import type { JsonRecord } from '../record.ts'
import { checkAuth } from './check-auth.ts'
import { refusal, requireFunctions } from './refusal.ts'

/** What a server of each kind can have beside what all can. */
const own = {
  command: ['args', 'env', 'inheritEnv', 'cwd', 'graceMs', 'restart', 'era'],
  socket: ['restart', 'era'],
  url: ['headers', 'auth', 'plainHttp', 'tls', 'era'],
  client: [],
} as const satisfies { readonly [kind: string]: readonly string[] }

type Kind = keyof typeof own

const kinds = Object.keys(own) as readonly Kind[]
const owned = new Set<string>(kinds.flatMap((kind) => [...own[kind]]))

/**
 * Refuses a server that is of no kind or of several, that has fields of another kind, or whose fields contradict each
 * other: none of them is silently left unused.
 *
 * @throws InvalidOptionsError
 */
export function checkServer(name: string, server: McpServer): void {
  const fields = server as unknown as JsonRecord
  const where = `/servers/${name}`
  const kind = kindOf(name, fields, where)
  const foreign = Object.keys(fields).find(
    (field) =>
      fields[field] !== undefined && owned.has(field) && !own[kind].includes(field as never),
  )
  if (foreign !== undefined) {
    const others = kinds.filter((each) => own[each].includes(foreign as never))
    throw refusal(
      'mcp-field-of-other-kind',
      `${where}/${foreign}`,
      `MCP server "${name}" is reached by its ${kind}, where "${foreign}" has no meaning.`,
      `Leave "${foreign}" out: it belongs to a server with ${others.join(' or ')}.`,
    )
  }
  if (kind !== 'url' && fields['era'] === 'sse') {
    throw refusal(
      'mcp-era',
      `${where}/era`,
      `MCP server "${name}" is reached by its ${kind}, which is never the era "sse".`,
      'Use "2025", "modern" or "auto", or give a url.',
    )
  }
  if (kind === 'client') requireFunctions(fields['client'], clientFunctions, `${where}/client`)
  if (kind === 'url') checkHttp(name, fields, where)
  checkLimits(name, fields, where)
}

const clientFunctions = [
  'request',
  'getServerCapabilities',
  'getServerVersion',
  'getInstructions',
] as const

function kindOf(name: string, fields: JsonRecord, where: string): Kind {
  const given = kinds.filter((kind) => fields[kind] !== undefined)
  const [kind] = given
  if (kind !== undefined && given.length === 1) return kind
  throw refusal(
    'mcp-server-kind',
    where,
    given.length === 0
      ? `MCP server "${name}" has none of command, socket, url and client.`
      : `MCP server "${name}" has ${given.join(' and ')}, and can be reached by one of them only.`,
    'Give exactly one: a command to start, a socket or a url to connect to, or a connected client.',
  )
}

function checkHttp(name: string, fields: JsonRecord, where: string): void {
  const url = String(fields['url'])
  // What stands for a secret is looked at when it is put in.
  const readable = url.replaceAll(/\{env:\w+\}/g, 'x')
  const known = URL.canParse(readable) ? new URL(readable) : undefined
  const open =
    url.startsWith('{env:') || known?.protocol === 'http:' || known?.protocol === 'https:'
  if (!open) {
    throw refusal(
      'mcp-url',
      `${where}/url`,
      `MCP server "${name}" has the url ${JSON.stringify(url)}, which is no http or https address.`,
      'Write it in full, such as https://host/mcp; a program to start belongs in "command".',
    )
  }
  const { headers } = fields
  if (headers !== undefined && typeof headers !== 'function') checkHeaders(name, headers, where)
  if (fields['auth'] !== undefined) checkAuth(name, fields, where)
}

function checkHeaders(name: string, headers: unknown, where: string): void {
  const entries = typeof headers === 'object' && headers !== null ? Object.entries(headers) : []
  const bad =
    entries.length === 0 && !isEmptyObject(headers)
      ? ''
      : entries.find(([, value]) => typeof value !== 'string')?.[0]
  if (bad === undefined) return
  throw refusal(
    'mcp-headers',
    bad === '' ? `${where}/headers` : `${where}/headers/${bad}`,
    bad === ''
      ? `The headers of MCP server "${name}" are neither an object nor a function.`
      : `The header "${bad}" of MCP server "${name}" is no text.`,
    'Give an object of texts, or a function that makes one.',
  )
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A total below the time that a call may be silent would be raised, or end calls early: neither is what was meant. */
function checkLimits(name: string, fields: JsonRecord, where: string): void {
  const tools = (fields['tools'] ?? {}) as { readonly [tool: string]: JsonRecord }
  const sets = [
    [where, fields] as const,
    ...Object.entries(tools).map(
      ([tool, set]) => [`${where}/tools/${tool}`, { ...fields, ...set }] as const,
    ),
  ]
  for (const [place, { timeoutMs, totalTimeoutMs }] of sets) {
    if (typeof timeoutMs !== 'number' || typeof totalTimeoutMs !== 'number') continue
    if (totalTimeoutMs >= timeoutMs) continue
    throw refusal(
      'mcp-limits',
      `${place}/totalTimeoutMs`,
      `MCP server "${name}": totalTimeoutMs (${String(totalTimeoutMs)}) is shorter than timeoutMs (${String(timeoutMs)}).`,
      'A call may take at least as long in all as it may be silent.',
    )
  }
}
