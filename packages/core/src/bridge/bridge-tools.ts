import type { CallContext, ToolDefinition } from '@callgate/spec'

import type { Services } from '../pipeline/services.ts'
import { nearNames } from '../registry/near-names.ts'
import { makeEntry, type ToolEntry } from '../registry/tool-entry.ts'
import { headUnits } from '../results/cut-text.ts'
import type { Spills } from '../results/spills.ts'
import { bridgeOwner, maxEntries, toolCall, toolDescribe, toolSearch } from './bridge-names.ts'
import { readResult, resultRead, resultReadDefinition } from './read-result.ts'
import { searchTools } from './search-tools.ts'
import { shownTools } from './shown-tools.ts'

const maxQueries = 7
const maxNames = 10
const defaultHits = 5
const maxHits = 25
const maxDescription = 500
const maxParameters = 32
const maxParameterName = 64

const names = { type: 'array', items: { type: 'string' } } as const

const definitions: readonly ToolDefinition[] = [
  bridge(
    toolSearch,
    'Finds tools that are not listed here. Takes several queries at once, in English or Chinese, and gives the best matches with their exact names, descriptions and parameter names.',
    {
      queries: {
        ...names,
        minItems: 1,
        maxItems: maxQueries,
        description: 'What you want to do, one text per need.',
      },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: maxHits,
        description: `Matches per query; default ${defaultHits}.`,
      },
    },
    ['queries'],
  ),
  bridge(
    toolDescribe,
    'Gives the full description and parameter schema of tools by their exact names.',
    {
      names: {
        ...names,
        minItems: 1,
        maxItems: maxNames,
        description: 'Names as tool_search gives them.',
      },
    },
    ['names'],
  ),
  bridge(
    toolCall,
    `Calls tools that are not listed here, by the exact names that tool_search gives. Send up to ${maxEntries} entries at once: local entries are split into independent calls, each under its own concurrency policy, and each has its own result.`,
    {
      calls: {
        type: 'array',
        minItems: 1,
        maxItems: maxEntries,
        items: {
          type: 'object',
          properties: { name: { type: 'string' }, arguments: { type: 'object' } },
          required: ['name', 'arguments'],
        },
      },
    },
    ['calls'],
  ),
  resultReadDefinition,
]

function bridge(
  name: string,
  description: string,
  properties: object,
  required: readonly string[],
): ToolDefinition {
  return {
    namespace: 'bridge',
    name,
    description,
    parameters: { type: 'object', properties, required },
    backend: { adapter: 'function' },
    effects: { readOnly: true, idempotent: true },
    deferred: false,
  }
}

/** The entries of the three bridge tools (R1.2) and of the tool that pages through kept results. `tool_call` is taken apart before look-up and has no answer of its own. */
export function makeBridgeEntries(services: () => Services, spills: Spills): readonly ToolEntry[] {
  const answers: Record<string, ToolEntry['answer']> = {
    [toolSearch]: (args: SearchArguments, context) => search(services(), args, context),
    [toolDescribe]: (args: DescribeArguments, context) => describe(services(), args, context),
    [resultRead]: (args: Parameters<typeof readResult>[1], context) =>
      readResult(spills, args, context),
  }
  return definitions.map((definition) => {
    const answer = answers[definition.name]
    return {
      ...makeEntry(definition, definition.name, { owner: bridgeOwner, deferred: false }),
      ...(answer === undefined ? {} : { answer }),
    }
  })
}

interface SearchArguments {
  readonly queries: readonly string[]
  readonly limit?: number
}

function search(
  services: Services,
  { queries, limit = defaultHits }: SearchArguments,
  context: CallContext,
): object {
  const wanted = queries.map((query) => query.trim()).filter((query) => query !== '')
  const { registry } = services
  const visible = shownTools(context, services)
  const found = searchTools(wanted, limit, context, services)
  const tools = new Map<string, object>()
  const results = found.map(({ query, hits }) => {
    const matches = hits.map(({ id }) => {
      const entry = registry.find(id)!
      tools.set(entry.wireName, summary(entry))
      return entry.wireName
    })
    return matches.length > 0 ? { query, matches } : { query, matches, hint: noMatch(visible) }
  })
  return {
    queries: wanted,
    total_available: visible.length,
    results,
    tools: Object.fromEntries(tools),
  }
}

function summary({ id, definition }: ToolEntry): object {
  const { parameters, description } = definition
  const schema = typeof parameters === 'object' ? parameters : {}
  return {
    id,
    description: headUnits(description, maxDescription),
    parameters: shortNames(Object.keys((schema['properties'] as object | undefined) ?? {})),
    required: shortNames(schema['required']),
  }
}

/** A schema of others may hold any number of names, of any length. */
function shortNames(given: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : []
  return list.slice(0, maxParameters).map((name) => headUnits(String(name), maxParameterName))
}

function noMatch(visible: readonly ToolEntry[]): string {
  const sources = [...new Set(visible.map(({ definition }) => definition.namespace))].toSorted()
  return sources.length === 0
    ? 'No tools are available.'
    : `Nothing matches. There are tools of: ${sources.slice(0, 30).join(', ')}. Try other words.`
}

interface DescribeArguments {
  readonly names: readonly string[]
}

function describe(
  services: Services,
  { names: asked }: DescribeArguments,
  context: CallContext,
): object {
  const visible = shownTools(context, services)
  const byName = new Map(
    visible.flatMap((entry) => [[entry.wireName, entry] as const, [entry.id, entry] as const]),
  )
  const described = new Map<string, object>()
  const missing: string[] = []
  for (const name of new Set(asked.map((text) => text.trim()))) {
    const entry = byName.get(name)
    if (entry === undefined) missing.push(name)
    else {
      const { description, parameters } = entry.definition
      described.set(entry.wireName, { id: entry.id, description, parameters })
    }
  }
  // A tool may be called what every object inherits.
  const tools = Object.fromEntries(described)
  if (missing.length === 0) return { tools }
  const near = [
    ...new Set(
      missing.flatMap((name) =>
        nearNames(
          name,
          visible.map(({ wireName }) => wireName),
        ),
      ),
    ),
  ]
  return {
    tools,
    not_found: missing,
    hint:
      near.length > 0 ? `Did you mean ${near.join(', ')}?` : 'Find exact names with tool_search.',
  }
}
