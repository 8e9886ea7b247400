/** Cuts white space. U+FEFF counts as some in JavaScript but not in Unicode, so a text with one stays as it is. */
export function trimSpace(text: string): string {
  return text.includes('\ufeff') ? text : text.trim()
}
