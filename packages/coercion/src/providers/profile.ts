import { textOf } from '../json.ts'
import type { Provider } from '../types.ts'

/** Which property names a provider takes. */
export interface NameRule {
  /** What must be replaced, with the flags `gu` so that one emoji is one character. */
  readonly illegal: RegExp
  /** Longest name, in code points. */
  readonly length: number
}

/** What a provider accepts in the schema of a tool, as data: the sanitiser writes by it, the checker reads by it. */
export interface Profile {
  readonly names: NameRule
  /** Keywords that are accepted; without it all are. */
  readonly keywords?: ReadonlySet<string>
  /** `type` may be a list. */
  readonly typeLists?: boolean
  /** "Or null" is said by `nullable: true`, else by the type null. */
  readonly nullable?: boolean
  /** Nothing may stand beside `$ref`. */
  readonly refAlone?: boolean
  /** Every object is closed and requires all its properties. */
  readonly closed?: boolean
  /** A list says what its entries are ('lists'), or moreover every position says its type ('all'). */
  readonly typed?: 'lists' | 'all'
  /** An enum holds text only. */
  readonly textEnums?: boolean
  readonly formats?: ReadonlySet<string>
  /** What a pattern must look like. */
  readonly pattern?: RegExp
  /** The most of each in one schema. */
  readonly limits?: {
    readonly properties?: number
    readonly depth?: number
    readonly characters?: number
    readonly enumValues?: number
  }
  /** The rules under which strict mode may be claimed; a closed profile is one itself. */
  readonly strict?: Profile
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}

const common: NameRule = { illegal: /[^A-Za-z0-9_.-]/gu, length: 64 }
/** No pattern is known: names are shown as they are. */
const anyName: NameRule = { illegal: /$^/gu, length: Infinity }
/** Letter or underscore first, then no point and no dash: the smallest set of all. */
const identifier: NameRule = { illegal: /^(?=[0-9])|[^A-Za-z0-9_]/gu, length: 64 }
const noLookAround = /^(?![^]*(?:\(\?<?[=!]|\\p))/i
const basic = 'type title description properties required items enum pattern minItems maxItems'
/** Without `uri`, which some resellers refuse. */
const strictFormats = words('date-time time date duration email hostname ipv4 ipv6 uuid')

/** Structured outputs: OpenAI's guide and quoted refusals. */
const openaiStrict: Profile = {
  names: anyName,
  keywords: words(
    `${basic} additionalProperties const anyOf $ref $defs format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf`,
  ),
  typeLists: true,
  refAlone: true,
  closed: true,
  typed: 'all',
  formats: strictFormats,
  pattern: noLookAround,
  limits: { properties: 5000, depth: 10, characters: 120_000, enumValues: 1000 },
}

/** Strict tool use: the vendor's own schema transform. Properties may be optional; recursion is refused. */
const anthropicStrict: Profile = {
  names: common,
  keywords: words(
    'type title description properties required items enum pattern additionalProperties const anyOf allOf format default',
  ),
  typeLists: true,
  refAlone: true,
  closed: true,
  formats: strictFormats,
  pattern: noLookAround,
}

const openai: Profile = {
  names: anyName,
  typeLists: true,
  typed: 'lists',
  pattern: noLookAround,
  strict: openaiStrict,
}
const anthropic: Profile = {
  names: common,
  typeLists: true,
  strict: anthropicStrict,
}

/**
 * The limits of each provider, as of its documentation, its SDK and quoted refusals in 2026. The names follow
 * `parameters` for Gemini, whose set is the smallest; 'any' is what all of them take in their non-strict modes.
 */
export const profiles: { readonly [provider in Provider]: Profile } = {
  openai,
  'openai-strict': openaiStrict,
  anthropic,
  bedrock: anthropic,
  mistral: { names: anyName, typeLists: true },
  gemini: {
    names: identifier,
    keywords: words(
      `${basic} nullable format anyOf minProperties maxProperties minLength maxLength minimum maximum default propertyOrdering`,
    ),
    nullable: true,
    typed: 'all',
    textEnums: true,
  },
  'llama.cpp': {
    names: common,
    keywords: words(
      `${basic} additionalProperties const anyOf allOf $ref $defs format minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum`,
    ),
    refAlone: true,
    formats: words('date time date-time uuid'),
    pattern: /^\^[^]*\$$/,
  },
  any: { names: common, nullable: true },
}

/** What no provider takes at the root. */
export const refusedAtRoot: RegExp = /^(?:anyOf|oneOf|allOf|enum|const|not|if|then|else)$/

/** Whether a provider takes a keyword with that value. */
export function allows(profile: Profile, keyword: string, value: unknown): boolean {
  const { keywords, pattern, formats, textEnums } = profile
  if (keywords?.has(keyword) === false) return false
  if (keyword === 'pattern') return pattern?.test(textOf(value)) ?? true
  if (keyword === 'format') return formats?.has(textOf(value)) ?? true
  return keyword !== 'enum' || !textEnums || [value].flat().every((one) => typeof one === 'string')
}
