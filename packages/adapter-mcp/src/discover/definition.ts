import type { ToolDefinition } from '@callgate/spec'

import { backstopOf, settingsOf } from '../connect/settings.ts'
import type { ServerSettings } from '../options.ts'
import { isRecord, type JsonRecord } from '../record.ts'
import { cleanText } from '../text/clean.ts'
import { texts } from '../text/texts.ts'
import { instructionsName } from '../trust/pin.ts'
import { effectsOf } from './effects.ts'
import { readParamHeaders } from './param-headers.ts'
import { isBounded, readInputSchema, readSchema } from './schema.ts'

const maxName = 256
const maxDescription = 32 * 1024

/** A definition with what was repaired in it, or why the tool is left out. */
export type ReadTool =
  | { readonly tool: ToolDefinition; readonly notes: readonly string[] }
  | { readonly refused: string }

/** Where a tool comes from. */
export interface ToolOrigin {
  readonly server: string
  readonly settings: ServerSettings
  readonly info: JsonRecord
  /** Revision 2026-07-28 over HTTP, where a tool with bad `x-mcp-header` must not be offered. */
  readonly mirrorsParameters: boolean
}

/** One listed tool as a definition: one bad tool never hides the others. */
export function toDefinition(raw: unknown, origin: ToolOrigin): ReadTool {
  const { server, settings, info } = origin
  if (!isRecord(raw)) return { refused: 'not an object' }
  if (!isBounded(raw)) return { refused: 'too deep or too large' }
  const { name } = raw
  const fault = nameFault(name)
  if (fault !== undefined) return { refused: fault }
  const input = readInputSchema(raw['inputSchema'])
  if ('refused' in input) return input
  const mirrored = origin.mirrorsParameters ? readParamHeaders(input.schema) : { headers: [] }
  if ('refused' in mirrored) return mirrored
  const output = readOutput(raw['outputSchema'])
  const notes = [...new Set([...input.notes, ...output.notes, ...hiddenIn(raw)])]
  const own = settingsOf(settings, String(name))
  return {
    notes,
    tool: {
      namespace: server,
      name: String(name),
      description: describe(raw),
      parameters: input.schema,
      ...(output.schema === undefined ? {} : { outputs: output.schema }),
      effects: effectsOf(raw['annotations'], settings.trust === true),
      timeoutMs: backstopOf(own),
      backend: { adapter: 'mcp', server, tool: name, ...(runsAsTask(raw) ? { task: true } : {}) },
      ...(own.deferred === undefined ? {} : { deferred: own.deferred }),
      metadata: {
        server,
        ...texts(cleanText, {
          title: titleOf(raw),
          serverName: info['name'],
          serverVersion: info['version'],
        }),
        ...(notes.length === 0 ? {} : { notes }),
      },
    },
  }
}

/** A tool that cannot be called but as a task. */
function runsAsTask(raw: JsonRecord): boolean {
  const { execution } = raw
  return isRecord(execution) && execution['taskSupport'] === 'required'
}

function nameFault(name: unknown): string | undefined {
  if (typeof name !== 'string' || name === '' || name.length > maxName) return 'no usable name'
  if (name === instructionsName) return 'a name that is not for tools'
  return cleanText(name) === name ? undefined : 'hidden characters in its name'
}

/** A bad output schema costs the check of the output, not the tool. */
function readOutput(raw: unknown): { schema?: JsonRecord; notes: readonly string[] } {
  if (raw === undefined || raw === null) return { notes: [] }
  const read = readSchema(raw)
  return 'refused' in read ? { notes: [`output schema left out: ${read.refused}`] } : read
}

function titleOf(raw: JsonRecord): unknown {
  const annotations = isRecord(raw['annotations']) ? raw['annotations'] : {}
  return raw['title'] ?? annotations['title']
}

function describe(raw: JsonRecord): string {
  const candidates = [raw['description'], titleOf(raw), raw['name']]
  const readable = candidates
    .filter((value) => typeof value === 'string')
    .map((value) => cleanText(value).trim())
  return (readable.find((text) => text !== '') ?? '').slice(0, maxDescription)
}

function hiddenIn({ description, title }: JsonRecord): readonly string[] {
  const given = [description, title].filter((text) => typeof text === 'string')
  return given.every((text) => cleanText(text) === text) ? [] : ['hidden characters removed']
}
