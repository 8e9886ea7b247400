import type { ToolId } from '@callgate/spec'

/** The three tools through which a model finds and calls deferred tools (R1.2). */
export const toolSearch = 'tool_search'
export const toolDescribe = 'tool_describe'
export const toolCall = 'tool_call'
/** What a batch of connectors is called in its result. */
export const batchTool: ToolId = `bridge::${toolCall}`

/** Who brought the bridge tools to the registry; they are everybody's. */
export const bridgeOwner = 'bridge'

const bridgeNames: ReadonlySet<string> = new Set([toolSearch, toolDescribe, toolCall])

export function isBridgeName(name: string): boolean {
  return bridgeNames.has(name)
}

/** The most entries of one `tool_call` (`MAX_CALLS_PER_DISPATCH`, R2.5). */
export const maxEntries = 10

const connectorPrefix = 'connectors__'
const connectorNamespace = 'connectors::'

/** Entries of the namespace `connectors` are not split: an adapter serves those of its own together. */
export function isConnector(name: string): boolean {
  return name.startsWith(connectorPrefix) || name.startsWith(connectorNamespace)
}
