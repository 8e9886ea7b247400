import type { Logger } from '@callgate/spec'

import type { McpServer } from '../options.ts'
import { isRecord, type JsonRecord } from '../record.ts'
import { cleanText } from '../text/clean.ts'
import { pinnedPart } from '../trust/pin.ts'
import type { PinnedTool } from '../trust/pins.ts'
import { accessTools } from './access-tools.ts'
import { isAllowed } from './allow.ts'
import { toDefinition } from './definition.ts'
import type { CachedTools } from './tool-cache.ts'

/** A tool that could not be read. */
export interface LeftOut {
  readonly name: string
  readonly reason: string
}

export interface DefinedTools {
  readonly tools: readonly PinnedTool[]
  /** Those that stand for resources and prompts: ours, and so not pinned. */
  readonly access: readonly PinnedTool['tool'][]
  readonly leftOut: readonly LeftOut[]
}

/** The listed tools as definitions, one by one: those that are bad or not allowed are left out, the first of a name counts. */
export function defineTools(
  listing: CachedTools,
  server: string,
  config: McpServer,
  log: Logger,
): DefinedTools {
  const origin = {
    server,
    settings: config,
    info: listing.info,
    mirrorsParameters: listing.mirrorsParameters,
  }
  const byName = new Map<string, PinnedTool>()
  const leftOut: LeftOut[] = []
  for (const item of listing.tools) {
    const name = nameOf(item)
    if (isRecord(item) && !isAllowed(name, config)) continue
    const made = toDefinition(item, origin)
    if ('refused' in made) {
      const shown = cleanText(name).slice(0, 100)
      log.warn('mcp: a tool is left out', { server, tool: shown, reason: made.refused })
      leftOut.push({ name: shown, reason: made.refused })
    } else if (byName.has(made.tool.name)) {
      log.warn('mcp: a tool is listed twice', { server, tool: name })
      leftOut.push({ name, reason: 'listed twice' })
    } else {
      byName.set(made.tool.name, { tool: made.tool, seen: pinnedPart(item as JsonRecord) })
    }
  }
  const access = accessTools(listing.offers ?? [], server, config).filter(({ name }) => {
    if (!byName.has(name)) return true
    log.warn('mcp: the server has a tool of the name of one for its resources or prompts', {
      server,
      tool: name,
    })
    return false
  })
  return { tools: [...byName.values()], access, leftOut }
}

/** A name that is no text is told by what it is: a server can send what no text can be made of. */
function nameOf(item: unknown): string {
  const name = isRecord(item) ? item['name'] : undefined
  if (typeof name === 'string') return name
  return isRecord(item) ? `(${name === null ? 'null' : typeof name})` : ''
}
