import { stemmer } from 'stemmer'

const words = /\p{Script=Han}+|[\p{L}\p{N}]+/gu
const han = /^\p{Script=Han}/u

/**
 * The terms under which a text is found (R1.4): English words by their stem, camelCase and snake_case taken apart,
 * Chinese as single characters and pairs.
 */
export function tokenize(text: string): readonly string[] {
  const tokens: string[] = []
  // `getURLContents` is three words, and `PDFs` is one.
  const spaced = text.replaceAll(/[a-z0-9](?=[A-Z])|[A-Z](?=[A-Z][a-z]{2})/g, '$& ').toLowerCase()
  for (const [word] of spaced.matchAll(words)) {
    if (han.test(word)) addHan(word, tokens)
    else for (const part of splitMixed(word)) addWord(part, tokens)
  }
  return tokens
}

function addHan(run: string, tokens: string[]): void {
  const characters = Array.from(run)
  for (const [index, character] of characters.entries()) {
    tokens.push(character)
    const next = characters[index + 1]
    if (next !== undefined) tokens.push(character + next)
  }
}

// `\p{L}` takes Latin letters and Han characters in one run ("看git日志"); take them apart.
function splitMixed(word: string): readonly string[] {
  return word.match(/\p{Script=Han}+|[^\p{Script=Han}]+/gu) ?? []
}

function addWord(word: string, tokens: string[]): void {
  if (han.test(word)) addHan(word, tokens)
  else tokens.push(/^[a-z]+$/.test(word) ? stemmer(word) : word)
}
