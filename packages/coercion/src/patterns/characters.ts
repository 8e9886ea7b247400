/** Whether a class may take a character beyond ASCII. */
const wide = /[^\0-\x7f]|\\[DWSspPux]|^\.|^\[\^/

/** One code more than ASCII has, for all characters beyond. */
const BEYOND = 128

/** The codes of the characters that a class takes. */
export function codesOf(source: string, flags: string): number[] {
  const single = new RegExp(`^(?:${source})$`, flags)
  return [...Array(BEYOND + 1).keys()].filter((code) =>
    code < BEYOND ? single.test(String.fromCharCode(code)) : wide.test(source),
  )
}
