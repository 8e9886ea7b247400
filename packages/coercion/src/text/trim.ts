/** Cuts white space as Unicode defines it; U+FEFF and format characters are none, so they stay. Linear time. */
export function trimSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isSpace(text.charCodeAt(start))) start++
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--
  return start === 0 && end === text.length ? text : text.slice(start, end)
}

function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 9 && code <= 13)
  if (code < 0x1680) return code === 0x85 || code === 0xa0
  return (
    (code >= 0x2000 && code <= 0x200a) ||
    [0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000].includes(code)
  )
}
