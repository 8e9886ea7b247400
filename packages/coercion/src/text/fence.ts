/** What stands inside one code fence that surrounds the whole text, or undefined. */
export function codeFenceContent(text: string): string | undefined {
  const content = /^```[\w+-]*\s*\n([^]*)```$/.exec(text.trim())?.[1]
  return content?.includes('```') ? undefined : content
}
