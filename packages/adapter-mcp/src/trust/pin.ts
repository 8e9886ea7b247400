import { createHash } from 'node:crypto'

import type { McpServer } from '../options.ts'
import { isRecord, type JsonRecord } from '../record.ts'
import { visibleText } from '../text/clean.ts'

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

/** What a digest is made of, whole, for a human to read: as text, for names that look alike must not become one. */
export function definitionText(seen: JsonRecord): string {
  return visibleText(JSON.stringify(seen, undefined, 2))
}

const maxLines = 10
const maxText = 120
/** Of what stays the same before a change in a long text. */
const contextLength = 40

/** What changed, a line for each place, for a human to read. */
export function differences(before: unknown, after: unknown): readonly string[] {
  const all = changes(before, after, '')
  const more = all.length - maxLines
  return more > 0 ? [...all.slice(0, maxLines), `and ${String(more)} more`] : all
}

function changes(before: unknown, after: unknown, path: string): readonly string[] {
  if (canonical(before) === canonical(after)) return []
  if (!isRecord(before) || !isRecord(after)) {
    const texts = [textOf(before), textOf(after)] as const
    const [from, to] = excerpts(...texts)
    return [visibleText(`${path === '' ? '/' : path}: ${from} -> ${to}`)]
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => changes(own(before, name), own(after, name), `${path}/${name}`))
}

function own(record: JsonRecord, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

function textOf(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}

/** Two texts as far as they differ: whoever approves a change must not be shown twice what stayed. */
function excerpts(before: string, after: string): readonly [string, string] {
  const length = Math.max(before.length, after.length)
  let same = 0
  while (same < length && before[same] === after[same]) same += 1
  const from = length > maxText ? Math.max(0, same - contextLength) : 0
  const cut = (text: string): string =>
    `${from > 0 ? '…' : ''}${text.slice(from, from + maxText)}${text.length > from + maxText ? '…' : ''}`
  return [cut(before), cut(after)]
}
