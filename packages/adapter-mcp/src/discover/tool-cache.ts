import type { Logger } from '@callgate/spec'

import { requirePath } from '../config/refusal.ts'
import { jsonFileStore } from '../json-file-store.ts'
import { isRecord, type JsonRecord } from '../record.ts'
import type { Offer } from './access-tools.ts'

/** The tools of one server as it listed them; JSON-safe. */
export interface CachedTools {
  /** As they came, unread. */
  readonly tools: readonly unknown[]
  /** How the server names itself. */
  readonly info: JsonRecord
  /** Whether parameters may go into headers: revision 2026-07-28 over HTTP. */
  readonly mirrorsParameters: boolean
  /** What it has beside tools. */
  readonly offers?: readonly Offer[]
  /** What it says about its use. */
  readonly instructions?: string
}

/** Where the tools of servers live between runs, by the identity of a server. */
export interface ToolCache {
  read(identity: string): Promise<CachedTools | undefined>
  write(identity: string, tools: CachedTools): Promise<void>
}

/** A cache in one JSON file, which only its owner can read; written whole and at once. */
export function fileToolCache(file: string): ToolCache {
  requirePath(file, 'fileToolCache')
  return jsonFileStore<CachedTools>(file)
}

/** The part of a cache that belongs to one server. A cache that fails is as good as none. */
export interface ServerCache {
  load(): Promise<CachedTools | undefined>
  save(tools: CachedTools): Promise<void>
}

/** `server` is for the log only. */
export function serverCache(
  cache: ToolCache,
  identity: string,
  server: string,
  log: Logger,
): ServerCache {
  let kept = ''
  const failed = (error: unknown): undefined => {
    log.warn('mcp: the cache of tools failed', { server, error: String(error) })
    return undefined
  }
  return {
    async load() {
      const found: unknown = await cache.read(identity).catch(failed)
      if (!isCachedTools(found)) return undefined
      kept = JSON.stringify(found)
      return found
    },
    async save(tools) {
      try {
        // A server can list what is too deep to be written.
        const text = JSON.stringify(tools)
        if (text === kept) return
        await cache.write(identity, tools)
        kept = text
      } catch (error) {
        failed(error)
      }
    },
  }
}

/** An empty list is none: no call would ever wake its server. */
function isCachedTools(value: unknown): value is CachedTools {
  return (
    isRecord(value) &&
    Array.isArray(value['tools']) &&
    value['tools'].length > 0 &&
    isRecord(value['info'])
  )
}
