/**
 * What stands inside one code fence that surrounds the whole text; null where the fence was not closed, undefined where
 * there is none.
 */
export function codeFenceContent(text: string): string | null | undefined {
  const inside = /^```[\w+-]*\s*\n([^]*)$/.exec(text.trim())?.[1]
  if (inside === undefined || inside.endsWith('```')) return inside?.slice(0, -3)
  return inside.includes('```') ? undefined : null
}
