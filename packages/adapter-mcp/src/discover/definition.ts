import type { ToolDefinition, ToolEffects } from '@callgate/spec'

import type { ServerSettings } from '../options.ts'
import { isRecord, type JsonRecord } from '../record.ts'
import { cleanText } from '../text/clean.ts'
import { readInputSchema, readSchema } from './schema.ts'

const maxName = 256
const maxDescription = 32 * 1024

/** A tool as the adapter announces it. */
export type DiscoveredTool = ToolDefinition

/** One listed tool as a definition, or why it is left out: one bad tool never hides the others. */
export function toDefinition(
  raw: unknown,
  server: string,
  settings: ServerSettings,
  info: JsonRecord,
):
  | { readonly tool: DiscoveredTool; readonly notes: readonly string[] }
  | { readonly refused: string } {
  if (!isRecord(raw)) return { refused: 'not an object' }
  const name = raw['name']
  if (typeof name !== 'string' || name === '' || name.length > maxName)
    return { refused: 'no usable name' }
  if (cleanText(name) !== name) return { refused: 'hidden characters in its name' }
  const input = readInputSchema(raw['inputSchema'])
  if ('refused' in input) return input
  const output = raw['outputSchema'] == null ? undefined : readSchema(raw['outputSchema'])
  const notes = [...input.notes, ...outputNotes(output)]
  const title = titleOf(raw)
  return {
    notes,
    tool: {
      namespace: server,
      name,
      description: describe(raw['description'], title, name),
      parameters: input.schema,
      ...(output !== undefined && 'schema' in output ? { outputs: output.schema } : {}),
      effects: effectsOf(raw['annotations'], settings.trust === true),
      backend: { adapter: 'mcp', server, tool: name },
      ...(settings.deferred === undefined ? {} : { deferred: settings.deferred }),
      metadata: {
        server,
        ...(title === undefined ? {} : { title }),
        ...(typeof info['name'] === 'string' ? { serverName: cleanText(info['name']) } : {}),
        ...(typeof info['version'] === 'string'
          ? { serverVersion: cleanText(info['version']) }
          : {}),
        ...(notes.length === 0 ? {} : { notes }),
      },
    },
  }
}

function outputNotes(output: ReturnType<typeof readSchema> | undefined): readonly string[] {
  if (output === undefined) return []
  return 'refused' in output ? [`output schema left out: ${output.refused}`] : output.notes
}

function titleOf(raw: JsonRecord): string | undefined {
  const annotations = isRecord(raw['annotations']) ? raw['annotations'] : {}
  const title = raw['title'] ?? annotations['title']
  return typeof title === 'string' && title !== '' ? cleanText(title) : undefined
}

function describe(raw: unknown, title: string | undefined, name: string): string {
  const text = typeof raw === 'string' ? cleanText(raw).trim() : ''
  return (text === '' ? (title ?? name) : text).slice(0, maxDescription)
}

/**
 * What the server's hints say about effects. They are only claims: for a server that is not trusted they may narrow
 * (a destructive tool), and never widen (a tool that is said to change nothing).
 */
function effectsOf(annotations: unknown, trusted: boolean): ToolEffects {
  const hints = isRecord(annotations) ? annotations : {}
  const readOnly = hints['readOnlyHint'] === true
  const destructive = hints['destructiveHint'] === true && !(trusted && readOnly)
  return {
    ...(destructive ? { destructive: true } : {}),
    ...(trusted && readOnly ? { readOnly: true, concurrency: 'parallel' } : {}),
    ...(trusted && (readOnly || hints['idempotentHint'] === true) ? { idempotent: true } : {}),
  }
}
