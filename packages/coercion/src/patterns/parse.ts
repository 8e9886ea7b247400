/** The parts of a regular expression that matter for how often it may backtrack. */
export type PatternNode =
  /** One character of a class, in source form: `a`, `\d`, `[^x]`, `.`. */
  | { readonly kind: 'set'; readonly source: string }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly PatternNode[] }
  | {
      readonly kind: 'repeat'
      readonly body: PatternNode
      readonly min: number
      readonly max: number
    }
  /** Takes no character: `^`, `$`, `\b`. */
  | { readonly kind: 'assertion'; readonly source: string }
  /** A look-ahead. */
  | { readonly kind: 'look'; readonly body: PatternNode }

interface Scanner {
  readonly source: string
  at: number
  depth: number
}

const GROUPS = 50
const escapePattern =
  /\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|[^])/uy
const classPattern = /\[(?:\\[^]|[^\]\\])*\]/uy
const bracePattern = /\{(\d+)(?:(,)(\d*))?\}/y

/**
 * Reads the syntax of a pattern that is already known to compile. Undefined for what this analysis does not
 * cover: back references, look-behind, named references, groups nested more than 50 deep.
 */
export function parsePattern(source: string): PatternNode | undefined {
  const scanner: Scanner = { source, at: 0, depth: 0 }
  const node = readChoice(scanner)
  return scanner.at === source.length ? node : undefined
}

function readChoice(scanner: Scanner): PatternNode | undefined {
  const parts: PatternNode[] = []
  for (;;) {
    const part = readSequence(scanner)
    if (part === undefined) return undefined
    parts.push(part)
    if (scanner.source[scanner.at] !== '|') break
    scanner.at++
  }
  return parts.length === 1 ? parts[0] : { kind: 'choice', parts }
}

function readSequence(scanner: Scanner): PatternNode | undefined {
  const parts: PatternNode[] = []
  for (;;) {
    const next = scanner.source[scanner.at]
    if (next === undefined || next === '|' || next === ')') return { kind: 'sequence', parts }
    const atom = readAtom(scanner, next)
    const part = atom && readQuantifier(scanner, atom)
    if (part === undefined) return undefined
    parts.push(part)
  }
}

function readAtom(scanner: Scanner, next: string): PatternNode | undefined {
  if (next === '(') return readGroup(scanner)
  if (next === '^' || next === '$') {
    scanner.at++
    return { kind: 'assertion', source: next }
  }
  if (next === '[') return set(take(scanner, classPattern))
  if (next === '\\') return readEscape(scanner)
  const source = String.fromCodePoint(scanner.source.codePointAt(scanner.at) ?? 0)
  scanner.at += source.length
  return set(source)
}

function readEscape(scanner: Scanner): PatternNode | undefined {
  const escape = take(scanner, escapePattern)
  if (escape === undefined || /^\\[1-9k]/.test(escape)) return undefined
  return /^\\[bB]$/.test(escape) ? { kind: 'assertion', source: escape } : set(escape)
}

function set(source: string | undefined): PatternNode | undefined {
  return source === undefined ? undefined : { kind: 'set', source }
}

function readGroup(scanner: Scanner): PatternNode | undefined {
  const opener = /^\((?:\?(?:[:=!]|<(?![=!])[^>]*>))?/.exec(
    scanner.source.slice(scanner.at, scanner.at + 80),
  )?.[0]
  if (opener === undefined || (opener === '(' && scanner.source[scanner.at + 1] === '?'))
    return undefined
  if (++scanner.depth > GROUPS) return undefined
  scanner.at += opener.length
  const body = readChoice(scanner)
  scanner.depth--
  if (body === undefined || scanner.source[scanner.at] !== ')') return undefined
  scanner.at++
  return /[=!]$/.test(opener) ? { kind: 'look', body } : body
}

function readQuantifier(scanner: Scanner, body: PatternNode): PatternNode {
  const mark = scanner.source[scanner.at] ?? ''
  let [min, max] = [mark === '+' ? 1 : 0, mark === '?' ? 1 : Infinity]
  if ('*+?'.includes(mark) && mark !== '') scanner.at++
  else {
    bracePattern.lastIndex = scanner.at
    const brace = bracePattern.exec(scanner.source)
    if (brace === null) return body
    scanner.at += brace[0].length
    min = Number(brace[1])
    max = brace[2] === undefined ? min : brace[3] === '' ? Infinity : Number(brace[3])
  }
  if (scanner.source[scanner.at] === '?') scanner.at++
  return { kind: 'repeat', body, min, max }
}

function take(scanner: Scanner, pattern: RegExp): string | undefined {
  pattern.lastIndex = scanner.at
  const found = pattern.exec(scanner.source)?.[0]
  scanner.at += found?.length ?? 0
  return found
}
