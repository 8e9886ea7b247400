/** What stands inside one code fence that surrounds the whole text, or undefined. */
export function codeFenceContent(text: string): string | undefined {
  const trimmed = text.trim()
  if (!trimmed.startsWith('```') || !trimmed.endsWith('```') || trimmed.length < 7) return undefined
  const lineEnd = trimmed.indexOf('\n')
  const info = trimmed.slice(3, lineEnd < 0 ? 3 : lineEnd)
  if (lineEnd < 0 || lineEnd > trimmed.length - 4 || !/^\s*[\w+-]*\s*$/.test(info)) return undefined
  const content = trimmed.slice(lineEnd + 1, -3)
  return content.includes('```') ? undefined : content
}
