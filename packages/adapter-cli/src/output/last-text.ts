/** The last so many UTF-16 units of a text, without half a character at the cut. */
export function lastText(text: string, units: number): string {
  return text.slice(-units).replace(/^[\uDC00-\uDFFF]/, '')
}
