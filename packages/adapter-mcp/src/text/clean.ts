/* oxlint-disable no-control-regex, no-misleading-character-class -- control and combining characters are looked for */

/** What a text can hold that a reader does not see or a terminal obeys. */
const suspicious =
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u00AD\u061C\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFE00-\uFE0F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E0FFF}]/u

/**
 * The escape sequences of ECMA-48: CSI, strings such as OSC up to their end, and the short ones. The one-character
 * forms of the strings are taken for what they mostly are, letters that were decoded wrongly, and go alone.
 */
const escapes =
  /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]?|\u001B[\]PX^_][^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C)?|\u001B[ -/]*[0-~]?/gu

/** Scripts whose spelling needs the joiners U+200C and U+200D. */
const joiningScripts = [
  'Arabic',
  'Syriac',
  'Mongolian',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Khmer',
  'Myanmar',
]
  .map((script) => String.raw`\p{Script=${script}}`)
  .join('')

/** The right uses of suspicious characters, whole. */
const rightUses = [
  // The three flags that emoji spell with tag characters: England, Scotland, Wales.
  String.raw`\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}`,
  String.raw`\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]?\u200D(?=\p{Extended_Pictographic})`,
  String.raw`[${joiningScripts}][\u200C\u200D](?=[${joiningScripts}])`,
  // One mark beside a letter that runs right to left.
  String.raw`[\p{Script=Hebrew}\p{Script=Arabic}][\u200E\u200F\u061C]`,
  // One selector behind a visible character chooses its look; a row of them carries hidden bytes.
  String.raw`(?<![\uFE00-\uFE0F\s])[\uFE00-\uFE0F](?![\uFE00-\uFE0F])`,
].join('|')

const unwanted = new RegExp(`(${rightUses})|${suspicious.source}`, 'gu')

/**
 * Removes what hides in text or steers a terminal: escape sequences, control characters, Unicode tags, bidirectional
 * and zero-width characters. Joined emoji, flags, and scripts that need joiners stay whole. Clean text comes back as
 * the same string.
 */
export function cleanText(text: string): string {
  if (!suspicious.test(text)) return text
  return text
    .replaceAll(escapes, '')
    .replaceAll(unwanted, (_found, right: string | undefined) => right ?? '')
}

const everySuspicious = new RegExp(suspicious.source, 'gu')

/** As `cleanText`, for who has to see what hides: each such character is shown as its number. */
export function visibleText(text: string): string {
  return text.replaceAll(
    everySuspicious,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  )
}
