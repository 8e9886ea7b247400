import { createHash } from 'node:crypto'

import type { McpServer } from '../options.ts'
import { isRecord, type JsonRecord } from '../record.ts'

/** The parts of a listed tool that a model or a policy goes by. */
const pinned = [
  'name',
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
] as const

/** The name under which the instructions of a server are pinned beside its tools; no tool may have it. */
export const instructionsName = '(instructions)'

/** What is kept of a tool to know it again. */
export function pinnedPart(raw: JsonRecord): JsonRecord {
  const entries = pinned.flatMap((name) => (raw[name] === undefined ? [] : [[name, raw[name]]]))
  return Object.fromEntries(entries) as JsonRecord
}

/** SHA-256, in hex, over the canonical JSON of a value: the order of keys does not count. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex')
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null'
  const names = Object.keys(value).toSorted()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`
}

/** Which server it is, by how it is reached: what it says of itself it can choose. */
export function identityOf(name: string, config: McpServer): string {
  if (config.command !== undefined) return digestOf([config.command, config.args ?? []])
  if (config.socket !== undefined) return digestOf(config.socket)
  return digestOf(config.url ?? name)
}

/** As whom it is known to a cache: users that are told apart by headers, client, environment or folder are told apart here. */
export function cacheIdentityOf(identity: string, server: McpServer): string {
  if (server.command !== undefined) {
    // The account that a program works for mostly stands in its environment.
    const { env, cwd } = server
    return env === undefined && cwd === undefined ? identity : digestOf([identity, env, cwd])
  }
  if (server.url === undefined) return identity
  const { headers, auth } = server
  if (headers === undefined && auth === undefined) return identity
  const client = auth !== undefined && 'clientId' in auth ? auth.clientId : auth?.kind
  return digestOf([identity, typeof headers === 'function' ? null : headers, client])
}

const maxLines = 10
const maxText = 120

/** What changed, a line for each place, for a human to read. */
export function differences(before: unknown, after: unknown, path = ''): readonly string[] {
  if (canonical(before) === canonical(after)) return []
  if (!isRecord(before) || !isRecord(after)) {
    return [`${path === '' ? '/' : path}: ${short(before)} -> ${short(after)}`]
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names
    .flatMap((name) => differences(own(before, name), own(after, name), `${path}/${name}`))
    .slice(0, maxLines)
}

function own(record: JsonRecord, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

function short(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > maxText ? `${text.slice(0, maxText)}…` : text
}
