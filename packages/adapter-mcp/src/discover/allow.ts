import type { ServerSettings } from '../options.ts'

/** Whether the operator lets a tool be offered and called; `*` stands for any characters. */
export function isAllowed(tool: string, { allow }: ServerSettings): boolean {
  return allow === undefined || allow.some((pattern) => matches(tool, pattern.split('*')))
}

/** Piece by piece from the left: no expression is made of what is configured, so none can be slow. */
function matches(tool: string, pieces: readonly string[]): boolean {
  const [first = '', ...rest] = pieces
  const last = rest.pop()
  if (last === undefined) return tool === first
  if (!tool.startsWith(first) || tool.length < first.length + last.length) return false
  let at = first.length
  for (const piece of rest) {
    const found = tool.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return tool.endsWith(last) && tool.length - last.length >= at
}
