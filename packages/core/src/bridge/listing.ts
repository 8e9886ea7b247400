import type { ToolEntry } from '../registry/tool-entry.ts'
import { headUnits } from '../results/cut-text.ts'

/** Characters of one token, as is usual where the model's own counting is not at hand. */
const charactersPerToken = 4

export function tokensOf(text: string): number {
  return Math.ceil(text.length / charactersPerToken)
}

/**
 * What the model is told of the tools that it does not see (R1.1, R1.5), in at most `maxTokens`. It degrades in steps:
 * names with descriptions, names alone, the largest sources as numbers, all sources as numbers, nothing.
 */
export function listCatalogue(entries: readonly ToolEntry[], maxTokens: number): string {
  if (entries.length === 0) return ''
  const sources = bySource(entries)
  const full = [...sources].map(
    ([source, tools]) => `${source}:\n${tools.map(described).join('\n')}`,
  )
  const withDescriptions = full.join('\n')
  return tokensOf(withDescriptions) <= maxTokens
    ? withDescriptions
    : withNumbers(sources, maxTokens)
}

/** Names, with as many sources as numbers as it takes, the largest first; '' where even all of them are too long. */
function withNumbers(
  sources: ReadonlyMap<string, readonly ToolEntry[]>,
  maxTokens: number,
): string {
  const lines = new Map(
    [...sources].map(([source, tools]) => [source, `${source}: ${names(tools)}`]),
  )
  const largest = [...sources].toSorted(([, a], [, b]) => b.length - a.length)
  // The length is followed, not written anew for each step: there may be thousands of sources.
  let length = [...lines.values()].reduce((sum, line) => sum + line.length + 1, -1)
  for (const [source, tools] of largest) {
    if (Math.ceil(length / charactersPerToken) <= maxTokens) break
    const number = `${source}: ${tools.length} tools`
    length += number.length - lines.get(source)!.length
    lines.set(source, number)
  }
  return Math.ceil(length / charactersPerToken) <= maxTokens ? [...lines.values()].join('\n') : ''
}

function bySource(entries: readonly ToolEntry[]): ReadonlyMap<string, readonly ToolEntry[]> {
  const sources = new Map<string, ToolEntry[]>()
  for (const entry of entries) {
    const { namespace } = entry.definition
    const tools = sources.get(namespace)
    if (tools === undefined) sources.set(namespace, [entry])
    else tools.push(entry)
  }
  return sources
}

function described({ wireName, definition }: ToolEntry): string {
  const [line = ''] = definition.description.trim().split(/\r?\n/, 1)
  return `- ${wireName}: ${headUnits(line, 120)}`
}

function names(tools: readonly ToolEntry[]): string {
  return tools.map(({ wireName }) => wireName).join(', ')
}
