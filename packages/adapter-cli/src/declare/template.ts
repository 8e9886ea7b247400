import type { Parameter } from './parameters.ts'

export type Piece = { readonly text: string } | { readonly parameter: string }

/** One argument, or with `spread` one argument for each item of that list. */
export interface Argument {
  readonly pieces: readonly Piece[]
  readonly spread: string | undefined
}

export type Parsed =
  | { readonly ok: true; readonly argument: Argument }
  | { readonly ok: false; readonly fault: string }

const placeholder = /\{\{\s*([^{}]+?)\s*\}\}|\{([^{}]+)\}/gu
const identifier = /^[\p{L}_][\p{L}\p{N}_-]*(\.\.\.)?$/u
/** A placeholder that is opened twice and closed once, or never. */
const unclosed = /\{\{\s*[\p{L}_][\p{L}\p{N}_-]*(\.\.\.)?\s*(\}|$)/u

/**
 * Reads one text of a template (design section 6).
 *
 * Only declared parameters are placeholders; `{{name}}` and `{name...}` of an undeclared one are faults, since
 * nothing else is written so; other text in braces (`{}`, `{a,b}`, `{{json .}}`) is literal.
 */
export function parseArgument(text: string, parameters: ReadonlyMap<string, Parameter>): Parsed {
  const pieces: Piece[] = []
  const spreads: string[] = []
  let literal = ''
  let end = 0
  for (const match of text.matchAll(placeholder)) {
    literal += text.slice(end, match.index)
    end = match.index + match[0].length
    const found = readPlaceholder(match, parameters)
    if (found === 'literal') {
      literal += match[0]
      continue
    }
    if ('fault' in found) return { ok: false, fault: found.fault }
    if (found.isSingle && (literal.endsWith('{') || text[end] === '}')) {
      return { ok: false, fault: `the placeholder at ${match[0]} is broken` }
    }
    if (found.spreads) spreads.push(found.name)
    pieces.push({ text: literal }, { parameter: found.name })
    literal = ''
  }
  pieces.push({ text: literal + text.slice(end) })
  return finishArgument(text, pieces, spreads)
}

function finishArgument(
  text: string,
  pieces: readonly Piece[],
  spreads: readonly string[],
): Parsed {
  if (spreads.length > 1) return { ok: false, fault: 'one argument spreads two lists' }
  if (pieces.some((piece) => 'text' in piece && unclosed.test(piece.text))) {
    return { ok: false, fault: `a placeholder in "${text}" is not closed` }
  }
  const filled = pieces.filter((piece) => !('text' in piece) || piece.text !== '')
  return { ok: true, argument: { pieces: filled, spread: spreads[0] } }
}

interface Placeholder {
  readonly name: string
  readonly spreads: boolean
  /** Written with one brace. */
  readonly isSingle: boolean
}

function readPlaceholder(
  match: RegExpExecArray,
  parameters: ReadonlyMap<string, Parameter>,
): 'literal' | { readonly fault: string } | Placeholder {
  const inner = match[1] ?? match[2] ?? ''
  const spreads = inner.endsWith('...')
  const name = spreads ? inner.slice(0, -3) : inner
  const parameter = parameters.get(name)
  if (parameter === undefined) {
    const isMeant = identifier.test(inner) && (spreads || match[1] !== undefined)
    return isMeant ? { fault: `${match[0]} names no parameter` } : 'literal'
  }
  const fault = spreads ? spreadFault(parameter) : scalarFault(parameter)
  return fault === undefined ? { name, spreads, isSingle: match[1] === undefined } : { fault }
}

function spreadFault({ name, types }: Parameter): string | undefined {
  if (types === undefined || types.includes('array')) return undefined
  return `{${name}...} spreads a list, but the parameter is ${types.join(' or ')}`
}

function scalarFault(parameter: Parameter): string | undefined {
  const { types, name } = parameter
  if (types?.length === 1 && types[0] === 'array') {
    return `parameter "${name}" is a list: write {${name}...}`
  }
  if (types?.length === 1 && types[0] === 'object') {
    return `parameter "${name}" is an object, which cannot become an argument`
  }
  return undefined
}

/** The names of the parameters in an argument. */
export function parametersIn(argument: Argument): readonly string[] {
  return argument.pieces.flatMap((piece) => ('parameter' in piece ? [piece.parameter] : []))
}

/** The text before the first placeholder. */
export function literalStart(argument: Argument): string {
  const [first] = argument.pieces
  return first !== undefined && 'text' in first ? first.text : ''
}

/** The whole text of an argument without placeholders. */
export function literalText(argument: Argument): string | undefined {
  return parametersIn(argument).length === 0 ? literalStart(argument) : undefined
}
