import { shown } from '../json.ts'
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
  /** Keywords that are accepted, with spaces between; without it all are. */
  readonly keywords?: string
  /** `type` is one word, never a list. */
  readonly oneType?: boolean
  /** "Or null" is said by `nullable: true`, else by the type null. */
  readonly nullable?: boolean
  /** Nothing may stand beside `$ref`. */
  readonly refAlone?: boolean
  /** No properties may stand beside `anyOf`. */
  readonly unionApart?: boolean
  /** No definition leads back to itself. */
  readonly flat?: boolean
  /** Every object is closed and requires all its properties. */
  readonly closed?: boolean
  /** Every position says its type. */
  readonly typed?: boolean
  /** A list says what its entries are. */
  readonly typedItems?: boolean
  /** What the values of a keyword must look like, each as JSON. */
  readonly values?: { readonly [keyword: string]: RegExp }
  /** The most characters in an enum of many values. */
  readonly longEnum?: number
  /** The most of each in one schema. */
  readonly limits?: { readonly [counted: string]: number }
  /** The rules under which strict mode may be claimed. */
  readonly strict?: Profile
}

/** No pattern is known, so that names are shown as they are, but for one of no characters. */
const anyName: NameRule = { illegal: /(?!)/gu, length: Infinity }
const common: NameRule = { illegal: /[^\w.-]/gu, length: 64 }
/** What all with a list of keywords take. */
const basic = 'type title description properties required items enum pattern format anyOf'
/** And what all of them but one. */
const bounded = `${basic} minItems maxItems minimum maximum`
const whole = 'additionalProperties const $ref $defs exclusiveMinimum exclusiveMaximum'

const noLookAround = /^(?![^]*(?:\(\?<?[=!]|\\p))/i
const strictValues = {
  // Nor back references and word boundaries.
  pattern: /^(?![^]*(?:\(\?<?[=!]|\\[bkp1-9]))/i,
  // Without `uri`, which some resellers refuse.
  format: /^"(?:date-time|time|date|uuid|duration|email|hostname|ipv[46])"$/,
}

/** Structured outputs: OpenAI's guide and quoted refusals. */
const openaiStrict: Profile = {
  names: anyName,
  keywords: `${bounded} ${whole} multipleOf`,
  refAlone: true,
  closed: true,
  typed: true,
  typedItems: true,
  values: strictValues,
  longEnum: 15_000,
  limits: { properties: 5000, depth: 10, characters: 120_000, enumValues: 1000 },
}

const anthropic: Profile = {
  names: common,
  // Strict tool use: the vendor's own schema transform. Properties may be optional; recursion is refused.
  strict: {
    names: common,
    keywords: `${basic} additionalProperties const allOf default $ref $defs minItems`,
    refAlone: true,
    flat: true,
    closed: true,
    values: {
      ...strictValues,
      format: /^"(?:date-time|time|date|uuid|duration|email|hostname|ipv[46]|uri)"$/,
      enum: /^[^[{]/,
      allOf: /^(?!{"\$ref")/,
      minItems: /^[01]$/,
    },
    // The provider counts them over all strict tools of a request.
    limits: { optional: 24, unions: 16 },
  },
}

/**
 * The limits of each provider, as of its documentation, its SDK and quoted refusals in 2026. The names follow
 * `parameters` for Gemini, whose set is the smallest; 'any' keeps to what most of them take, and all keywords.
 */
export const profiles: { readonly [provider in Provider]: Profile } = {
  openai: {
    names: anyName,
    typedItems: true,
    values: { pattern: noLookAround },
    strict: openaiStrict,
  },
  'openai-strict': { ...openaiStrict, strict: openaiStrict },
  anthropic,
  bedrock: anthropic,
  mistral: { names: anyName },
  gemini: {
    // Letter or underscore first, then no point and no dash: the smallest set of all.
    names: { illegal: /^(?=\d)|\W/gu, length: 64 },
    keywords: `${bounded} nullable minProperties maxProperties minLength maxLength default propertyOrdering`,
    oneType: true,
    nullable: true,
    typed: true,
    typedItems: true,
    unionApart: true,
    // Text that is not empty.
    values: { enum: /^"[^"]/ },
  },
  'llama.cpp': {
    names: common,
    keywords: `${bounded} ${whole} minLength maxLength`,
    oneType: true,
    refAlone: true,
    unionApart: true,
    // From `^` to a `$` that is not escaped, in JSON, where each backslash is two.
    values: {
      pattern: /^"\^[^]*(?<!\\)(?:\\{4})*\$"$/,
      format: /^"(?:date-time|time|date|uuid)"$/,
    },
  },
  any: { names: common, oneType: true, nullable: true },
}

/** The profile of a provider, `any` without one. Throws TypeError for one that is not known. */
export function profileOf(provider: Provider = 'any'): Profile {
  if (Object.hasOwn(profiles, provider)) return profiles[provider]
  const known = Object.keys(profiles).join(', ')
  throw new TypeError(`provider ${shown(provider)} is not known: give one of ${known}`)
}

/** The keywords that no provider takes at the root. */
export function refusedAtRoot(root: object): string[] {
  return Object.keys(root).filter((keyword) =>
    /^(?:anyOf|oneOf|allOf|enum|const|not|if|then|else)$/.test(keyword),
  )
}
