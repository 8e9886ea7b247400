import type { FieldFault, JsonSchema, Repair } from '@callgate/spec'

import type { TextFault } from './text/fault.ts'

/** Repairs and checks the arguments of one tool. */
export interface Coercer {
  /** Never throws and never mutates `args`; `value` is `args` itself when nothing was changed. */
  coerce(args: unknown): Coercion
  /**
   * `parseArguments` and `coerce` in one, which takes less time for arguments that fit. Never throws; `repairs` begins
   * with those of the text. Text that cannot be read gives a `fault`, and its text as `value`.
   */
  coerceText(text: string, options?: ParseOptions): TextCoercion
}

/** What came of one call's arguments. */
export interface Coercion {
  readonly value: unknown
  /** Whether `value` fits the schema. */
  readonly valid: boolean
  /** Empty exactly if `valid`. */
  readonly errors: readonly FieldFault[]
  /** Every change; replayed in this order, each `from` is what stands at its path, for `rename` its name (R3.5). */
  readonly repairs: readonly Repair[]
}

/** What came of the text of one call. */
export interface TextCoercion extends Coercion {
  /** Why the text could not be read, which is the one error then. */
  readonly fault?: TextFault
}

export type CreateCoercer = (schema: JsonSchema | undefined, options?: CoercionOptions) => Coercer

export interface CoercionOptions {
  /** Whose sanitised property names the model saw; default 'any'. */
  readonly provider?: Provider
  /** A linear-time engine for the patterns of the schema; without it patterns that may explode are not run. */
  readonly regExp?: RegExpEngine
  readonly limits?: {
    /** Deepest nesting that is walked; default 200. */
    readonly depth?: number
    /** Longest JSON text inside arguments that is read, in UTF-16 units; default 16 Mi. */
    readonly bytes?: number
  }
}

export type RegExpEngine = (pattern: string, flags: string) => { test(text: string): boolean }

export type Provider =
  | 'openai'
  | 'openai-strict'
  | 'anthropic'
  | 'gemini'
  | 'bedrock'
  | 'mistral'
  | 'llama.cpp'
  | 'any'

export interface ParseOptions {
  /** How integers come out that a double would change: as text of digits (default) or as bigint. */
  readonly bigints?: 'text' | 'bigint'
}

export type ParseArguments = (text: string, options?: ParseOptions) => ParsedArguments

export type ParsedArguments =
  | { readonly ok: true; readonly value: unknown; readonly repairs: readonly Repair[] }
  | { readonly ok: false; readonly fault: TextFault }

/**
 * Without a provider 'any': no union at the root, names that all but Gemini take, one type each with `nullable`. All else
 * stays, of which some providers refuse some.
 */
export type SanitizeSchema = (
  schema: JsonSchema | undefined,
  options?: { readonly provider?: Provider },
) => SanitizedSchema

export interface SanitizedSchema {
  readonly schema: JsonSchema
  /**
   * What the shown schema no longer says of values, one text each, beginning with a pointer in the names of the original,
   * to the place there or, for what is shown in another (types and `oneOf` in `anyOf`, definitions in `$defs`), to that.
   */
  readonly lossy: readonly string[]
  /** Whether the provider's strict mode takes the shown schema and nothing was lost. */
  readonly strict: boolean
}

/** `schema` is the original one. */
export type Unrename = (
  schema: JsonSchema | undefined,
  args: unknown,
  options?: { readonly provider?: Provider },
) => unknown
