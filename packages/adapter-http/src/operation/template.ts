import { isAbsent, scalarText } from '../request/styles.ts'

/** A declared value with its placeholders found once, when the tool is loaded; values are never read as templates. */
export type Template =
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'argument'; readonly name: string }
  | { readonly kind: 'spread'; readonly name: string }
  | { readonly kind: 'text'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'list'; readonly items: readonly Template[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, Template])[] }

type Piece =
  | { readonly kind: 'literal'; readonly value: string }
  | { readonly kind: 'argument'; readonly name: string }
  | { readonly kind: 'secret'; readonly name: string }

/** What a template is filled from. */
export interface Fillings {
  readonly arguments: { readonly [name: string]: unknown }
  readonly secret: (name: string) => string
}

const placeholder = /\{\{([^{}]+)\}\}|\{([^{}]+)\}/g

/**
 * Reads a declared value: `{x}` and `{{x}}` where x is a declared parameter, `{x...}` as an item of a list,
 * `{env:NAME}` for a secret. Other brace text is literal.
 */
export function parseTemplate(value: unknown, declared: ReadonlySet<string>): Template {
  if (typeof value === 'string') return parseText(value, declared)
  if (Array.isArray(value)) {
    return { kind: 'list', items: value.map((item) => parseTemplate(item, declared)) }
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, item]): readonly [string, Template] => [
      key,
      parseTemplate(item, declared),
    ])
    return { kind: 'object', entries }
  }
  return { kind: 'literal', value }
}

function parseText(text: string, declared: ReadonlySet<string>): Template {
  const spread = /^\{\{?([^{}]+)\.\.\.\}?\}$/.exec(text)?.[1]
  if (spread !== undefined && declared.has(spread)) return { kind: 'spread', name: spread }
  const pieces = readPieces(text, declared)
  const [only] = pieces
  if (only === undefined) return { kind: 'literal', value: text }
  if (pieces.length === 1 && only.kind !== 'secret') return only
  return { kind: 'text', pieces }
}

/** The text cut at its placeholders. */
function readPieces(text: string, declared: ReadonlySet<string>): readonly Piece[] {
  const pieces: Piece[] = []
  let end = 0
  for (const match of text.matchAll(placeholder)) {
    const piece = readPlaceholder((match[1] ?? match[2] ?? '').trim(), declared)
    if (piece === undefined) continue
    if (match.index > end) pieces.push({ kind: 'literal', value: text.slice(end, match.index) })
    pieces.push(piece)
    end = match.index + match[0].length
  }
  if (end < text.length) pieces.push({ kind: 'literal', value: text.slice(end) })
  return pieces
}

function readPlaceholder(inner: string, declared: ReadonlySet<string>): Piece | undefined {
  if (declared.has(inner)) return { kind: 'argument', name: inner }
  const secret = secretName(`{${inner}}`)
  return secret === undefined ? undefined : { kind: 'secret', name: secret }
}

/** The name in `{env:NAME}`, nothing if the text is no such reference. */
export function secretName(text: string): string | undefined {
  return /^\{env:([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(text)?.[1]
}

/** Puts values in, once. Gives back undefined where an argument that was not sent decides, so that its place is left out. */
export function fillTemplate(template: Template, fillings: Fillings): unknown {
  if (template.kind === 'literal') return template.value
  if (template.kind === 'text') return fillText(template.pieces, fillings)
  if (template.kind === 'list') return fillList(template.items, fillings)
  if (template.kind === 'object') return fillObject(template.entries, fillings)
  return argument(template.name, fillings)
}

function fillList(items: readonly Template[], fillings: Fillings): readonly unknown[] {
  return items.flatMap((item) => {
    const value = fillTemplate(item, fillings)
    if (item.kind === 'spread' && Array.isArray(value)) return value as unknown[]
    return value === undefined ? [] : [value]
  })
}

function fillObject(entries: readonly (readonly [string, Template])[], fillings: Fillings): object {
  return Object.fromEntries(
    entries
      .map(([key, item]) => [key, fillTemplate(item, fillings)] as const)
      .filter(([, value]) => value !== undefined),
  )
}

function fillText(pieces: readonly Piece[], fillings: Fillings): string | undefined {
  let text = ''
  for (const piece of pieces) {
    if (piece.kind === 'literal') text += piece.value
    else if (piece.kind === 'secret') text += fillings.secret(piece.name)
    else {
      const value = argument(piece.name, fillings)
      if (isAbsent(value)) return undefined
      text += scalarText(value)
    }
  }
  return text
}

function argument(name: string, fillings: Fillings): unknown {
  return Object.hasOwn(fillings.arguments, name) ? fillings.arguments[name] : undefined
}

/** The arguments and secrets that a template draws on. */
export function sourcesOf(template: Template): {
  readonly arguments: readonly string[]
  readonly secrets: readonly string[]
} {
  const found: Piece[] = []
  collect(template, found)
  return {
    arguments: found
      .filter(({ kind }) => kind === 'argument')
      .map((piece) => (piece as { name: string }).name),
    secrets: found
      .filter(({ kind }) => kind === 'secret')
      .map((piece) => (piece as { name: string }).name),
  }
}

function collect(template: Template, found: Piece[]): void {
  if (template.kind === 'argument') found.push(template)
  else if (template.kind === 'spread') found.push({ kind: 'argument', name: template.name })
  else if (template.kind === 'text') found.push(...template.pieces)
  else if (template.kind === 'list') for (const item of template.items) collect(item, found)
  else if (template.kind === 'object') for (const [, item] of template.entries) collect(item, found)
}
