import {
  createCoercer,
  parseArguments,
  sanitizeSchema,
  type Coercion,
  type Provider,
  type SanitizedSchema,
  type SchemaNote,
  type TextFault,
} from '@callgate/coercion'

import type { CheckedSchema } from './inputs.ts'

/** What becomes of one text of arguments. */
export interface Repaired extends Coercion {
  readonly provider: Provider
  /** What the model is shown, and what that no longer says. */
  readonly shown: SanitizedSchema
  /** What the schema asks for and nobody checks. */
  readonly notes: readonly SchemaNote[]
  /** How the text was read; where it was not, there is neither value nor repair. */
  readonly text:
    | { readonly read: true; readonly rule: string }
    | { readonly read: false; readonly fault: TextFault }
}

/** Takes arguments along the way of a call: shown, read, unrenamed, coerced, validated. */
export function repair(
  { schema, notes }: CheckedSchema,
  sent: string,
  provider: Provider,
): Repaired {
  const known = { provider, shown: sanitizeSchema(schema, { provider }), notes }
  const parsed = parseArguments(sent)
  if (!parsed.ok) {
    const text = { read: false, fault: parsed.fault } as const
    return { ...known, text, value: undefined, valid: false, errors: [], repairs: [] }
  }
  const coercion = createCoercer(schema, { provider }).coerce(parsed.value)
  return {
    ...known,
    text: { read: true, rule: parsed.repairs[0]?.rule ?? 'strict' },
    ...coercion,
    repairs: [...parsed.repairs, ...coercion.repairs],
  }
}
