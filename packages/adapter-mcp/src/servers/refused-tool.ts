import { ToolError } from '@callgate/spec'

/** The server has no such tool, or the operator does not allow it. */
export function toolGone(server: string, tool: string): ToolError {
  return new ToolError({
    code: 'tool_not_found',
    message: `MCP server "${server}" does not offer the tool "${tool}".`,
    rule: 'mcp-tool-gone',
    started: 'no',
  })
}

/** `since` is what it was then. */
export function toolChanged(
  server: string,
  tool: string,
  since: 'approved' | 'looked at',
): ToolError {
  return new ToolError({
    code: 'definition_changed',
    message: `MCP server "${server}": the tool "${tool}" is not what was ${since}.`,
    rule: since === 'approved' ? 'mcp-tool-held' : 'mcp-tool-changed',
    started: 'no',
  })
}
