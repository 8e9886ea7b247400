import { isDeepStrictEqual } from 'node:util'

import { createCoercer, parseArguments, sanitizeSchema, unrename } from '@callgate/coercion'
import type { JsonSchema } from '@callgate/spec'

import { freezeAll, show } from './compare.ts'

export interface CoercionVector {
  readonly id: string
  readonly kind: string
  readonly schema?: unknown
  readonly args?: unknown
  readonly expected?: unknown
  readonly accept?: readonly unknown[]
  readonly check?: string
  readonly input_valid?: boolean | null
  readonly expected_valid?: boolean | null
}

export interface CoercionVerdict {
  readonly id: string
  readonly ok: boolean
  readonly detail: string
}

/** What the package answers: a value, and for coercion whether it is valid. */
interface Answer {
  readonly value: unknown
  readonly valid?: boolean
}

const kinds: {
  readonly [kind: string]: (schema: JsonSchema | undefined, args: unknown) => Answer
} = {
  coerce: (schema, args) => createCoercer(schema).coerce(args),
  // The arguments use the names that the sanitised schema shows.
  roundtrip: (schema, args) => createCoercer(schema).coerce(args),
  unrename: (schema, args) => ({ value: unrename(schema, args) }),
  sanitize: (schema) => ({ value: sanitizeSchema(schema ?? undefined).schema }),
  raw: (_schema, args) => {
    const read = parseArguments(String(args))
    return { value: read.ok ? read.value : { $reject: true } }
  },
}

/** Runs vectors for coercion through the public API: one verdict each, `detail` saying what differed. */
export function runCoercionVectors(vectors: readonly CoercionVector[]): CoercionVerdict[] {
  return vectors.map((vector) => {
    const differences = check(vector)
    return { id: vector.id, ok: differences.length === 0, detail: differences.join('; ') }
  })
}

function check(vector: CoercionVector): string[] {
  const run = kinds[vector.kind]
  if (run === undefined) return [`nothing runs the kind ${vector.kind}`]
  const schema = freezeAll(expand(vector.schema)) as JsonSchema | undefined
  const args = freezeAll(expand(vector.args))
  const before = show([schema, args])
  let answer: Answer
  try {
    answer = run(schema, args)
  } catch (error) {
    return [`it threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`]
  }
  const mutated = show([schema, args]) === before ? [] : ['schema or arguments were mutated']
  return [...mutated, ...compare(vector, args, answer)]
}

function compare(vector: CoercionVector, args: unknown, answer: Answer): string[] {
  const expected = expand(vector.expected)
  return [
    ...compareValue(vector, answer.value, expected),
    ...compareReference(vector, args, answer.value),
    ...(isDeepStrictEqual(answer.value, expected) ? compareValid(vector, answer) : []),
  ]
}

function compareValue(vector: CoercionVector, value: unknown, expected: unknown): string[] {
  const wanted = [expected, ...(vector.accept ?? []).map(expand)]
  const fits = vector.check === 'no-throw' || wanted.some((one) => isDeepStrictEqual(value, one))
  return fits ? [] : [`got ${cut(value)}, expected ${cut(expected)}`]
}

function compareReference(vector: CoercionVector, args: unknown, value: unknown): string[] {
  const { kind, input_valid: inputValid } = vector
  if (kind === 'raw' || kind === 'sanitize' || value === args) return []
  if (isDeepStrictEqual(value, args)) return ['equal arguments came back as a copy']
  return kind === 'coerce' && inputValid === true ? ['valid arguments did not come back'] : []
}

function compareValid({ expected_valid: valid }: CoercionVector, answer: Answer): string[] {
  if (answer.valid === undefined || typeof valid !== 'boolean') return []
  return answer.valid === valid ? [] : [`valid is ${String(answer.valid)}`]
}

function cut(value: unknown): string {
  return show(value).slice(0, 300)
}

/** Writes out what a vector only describes: `$missing` is undefined, `$gen` is long text. Own `__proto__` keys stay. */
function expand(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(expand)
  if ('$missing' in value) return undefined
  if ('$gen' in value) return generate(value as Generator)
  const copy = {}
  for (const [key, entry] of Object.entries(value)) {
    Object.defineProperty(copy, key, {
      value: expand(entry),
      enumerable: true,
      writable: true,
      configurable: true,
    })
  }
  return copy
}

type Generator =
  | { readonly $gen: 'repeat'; readonly s: string; readonly n: number }
  | {
      readonly $gen: 'nest'
      readonly open: string
      readonly mid?: string
      readonly close: string
      readonly n: number
    }
  | { readonly $gen: 'concat'; readonly parts: readonly unknown[] }

function generate(generator: Generator): string {
  if (generator.$gen === 'repeat') return generator.s.repeat(generator.n)
  if (generator.$gen === 'concat') {
    return generator.parts.map((part) => String(expand(part))).join('')
  }
  const { open, mid = '', close, n } = generator
  return open.repeat(n) + mid + close.repeat(n)
}
