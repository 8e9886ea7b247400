import type { ToolEntry } from '../registry/tool-entry.ts'

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
  const forms = [
    () => [...sources].map(([source, tools]) => `${source}:\n${tools.map(described).join('\n')}`),
    () => [...sources].map(([source, tools]) => `${source}: ${names(tools)}`),
    ...collapsing(sources),
  ]
  for (const form of forms) {
    const text = form().join('\n')
    if (tokensOf(text) <= maxTokens) return text
  }
  return ''
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
  const [line = ''] = definition.description.trim().split('\n', 1)
  return `- ${wireName}: ${line.slice(0, 120)}`
}

function names(tools: readonly ToolEntry[]): string {
  return tools.map(({ wireName }) => wireName).join(', ')
}

/** One form for each source more that is a number, the largest first. */
function collapsing(
  sources: ReadonlyMap<string, readonly ToolEntry[]>,
): readonly (() => readonly string[])[] {
  const largest = [...sources]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([source]) => source)
  return largest.map((_, index) => () => {
    const collapsed = new Set(largest.slice(0, index + 1))
    return [...sources].map(([source, tools]) =>
      collapsed.has(source) ? `${source}: ${tools.length} tools` : `${source}: ${names(tools)}`,
    )
  })
}
