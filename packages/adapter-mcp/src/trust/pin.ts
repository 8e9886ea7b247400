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
  if ('command' in config) return digestOf([config.command, config.args ?? []])
  if ('socket' in config) return digestOf(config.socket)
  return digestOf('url' in config ? config.url : name)
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
    .flatMap((name) => differences(before[name], after[name], `${path}/${name}`))
    .slice(0, maxLines)
}

function short(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > maxText ? `${text.slice(0, maxText)}…` : text
}
