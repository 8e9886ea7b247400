import {
  checkSchema,
  checkToolSchema,
  createCoercer,
  sanitizeSchema,
  unrename,
  type Provider,
} from '@callgate/coercion'
import type { JsonSchema } from '@callgate/spec'
import { Ajv, type AnySchema } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, it } from 'vitest'

import { sampleOf } from '../src/openapi/sample.ts'
import { schemasOfDocuments, schemasOfServers, type RealSchema } from '../src/real-schemas.ts'

const providers: readonly Provider[] = [
  ...(['openai', 'openai-strict', 'anthropic', 'gemini', 'bedrock', 'mistral'] as const),
  ...(['llama.cpp', 'any'] as const),
]
type Fields = Readonly<Record<string, unknown>>
type Check = (value: unknown) => boolean

const known = new WeakMap<object, Check>()

/** A validator that shares nothing with the package. */
function validatorOf(schema: JsonSchema): Check {
  const check = known.get(schema as object) ?? compile(schema)
  known.set(schema as object, check)
  return check
}

function compile(schema: JsonSchema): Check {
  const options = { strict: false, validateSchema: false, validateFormats: false } as const
  const { $schema = '', ...rest } = withTypeNull(schema) as Fields
  const Kind = /draft-0[67]/.test(String($schema)) ? Ajv : Ajv2020
  return new Kind(options).compile(rest as AnySchema)
}

/** ajv takes `nullable` only beside a type. */
function withTypeNull(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part
  if (Array.isArray(part)) return part.map(withTypeNull)
  const entries = Object.entries(part).map(([key, value]) => [key, withTypeNull(value)] as const)
  const others = Object.fromEntries(entries)
  const { nullable, ...rest } = others as Fields
  if (typeof nullable !== 'boolean') return others
  return nullable ? { anyOf: [rest, { type: 'null' }] } : rest
}

/** Arguments that fit, as far as a sample can be made, and arguments that mostly do not. */
function argumentsFor(schema: JsonSchema): readonly Fields[] {
  const fitting = sampleOf(schema, schema) as Fields
  const changed = Object.keys(fitting).flatMap((name) => {
    const { [name]: _left, ...rest } = fitting
    return [rest, ...[null, [], {}, 'text', -1.5].map((value) => ({ ...fitting, [name]: value }))]
  })
  return [fitting, { ...fitting, 'no such field': 1 }, ...changed]
}

/** Every number and boolean as text, every list and object inside as JSON text. */
function asText(fields: Fields): Fields {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' || value === null ? value : JSON.stringify(value),
  ])
  return Object.fromEntries(entries) as Fields
}

function namesOf(schema: JsonSchema): string {
  const found = JSON.stringify(schema).matchAll(/"properties":\{("(?:[^"\\]|\\.)*")/g)
  return [...found].map(([, name]) => name).join()
}

let schemas: readonly RealSchema[] = []
beforeAll(async () => {
  const documents = await schemasOfDocuments()
  // Comparing validators takes seconds for each hundred schemas.
  const some = process.env['CI'] ? documents : documents.filter((_, index) => index % 10 === 0)
  schemas = [...(await schemasOfServers()), ...some]
  console.log(`${schemas.length} schemas of real tools`)
}, 240_000)

describe('schemas of real tools', { timeout: 240_000 }, () => {
  it('are many, and none is broken', () => {
    expect(schemas.length).toBeGreaterThan(process.env['CI'] ? 3000 : 150)
    for (const { schema } of schemas) checkToolSchema(schema)
  })

  it('take arguments that an independent validator takes, and no others', () => {
    const differing = schemas.flatMap(({ name, schema }) => {
      const { coerce } = createCoercer(schema)
      const fits = validatorOf(schema)
      return argumentsFor(schema).flatMap((args) => {
        const { value, valid } = coerce(args)
        return valid === fits(value) ? [] : [`${name}: ${JSON.stringify(args)}`]
      })
    })
    expect(differing.slice(0, 5)).toEqual([])
  })

  it('get arguments back that came as text', () => {
    const counted = { fitting: 0, restored: 0 }
    for (const { schema } of schemas) {
      const sample = sampleOf(schema, schema) as Fields
      if (!validatorOf(schema)(sample)) continue
      counted.fitting++
      const { value, valid } = createCoercer(schema).coerce(asText(sample))
      if (valid && JSON.stringify(value) === JSON.stringify(sample)) counted.restored++
    }
    console.log(counted)
    expect(counted.fitting).toBeGreaterThan(schemas.length * 0.9)
    // A field that takes text too keeps its text.
    expect(counted.restored).toBeGreaterThan(counted.fitting * 0.9)
  })

  describe.each(providers)('shown to %s', (provider) => {
    it('pass its checker, unless only a strict mode could not say everything', () => {
      const faults = schemas.flatMap(({ name, schema }) => {
        const shown = sanitizeSchema(schema, { provider })
        if (provider === 'openai-strict' && !shown.strict) return []
        return checkSchema(shown.schema, provider).map((fault) => `${name}: ${fault}`)
      })
      expect(faults.slice(0, 5)).toEqual([])
    })

    it('take the same arguments as before, where nothing is said to be lost', () => {
      const counted = { same: 0, lossy: 0 }
      const differing = schemas.flatMap(({ name, schema }) => {
        const shown = sanitizeSchema(schema, { provider })
        if (shown.lossy.length > 0) counted.lossy++
        // A closed object asks for null where a field was optional, which coercion takes away again.
        const other = provider === 'openai-strict' || namesOf(schema) !== namesOf(shown.schema)
        if (shown.lossy.length > 0 || other) return []
        counted.same++
        const [before, after] = [validatorOf(schema), validatorOf(shown.schema)]
        return argumentsFor(schema)
          .filter((args) => before(args) !== after(args))
          .map((args) => `${name}: ${JSON.stringify(args)}`)
      })
      console.log(provider, counted)
      expect(differing.slice(0, 5)).toEqual([])
    })

    it('get arguments back under their own names', () => {
      const faults = schemas.flatMap(({ name, schema }) => {
        const shown = sanitizeSchema(schema, { provider })
        const sent = sampleOf(shown.schema, shown.schema)
        const own = Object.keys(unrename(schema, sent, { provider }) as Fields)
        const names = Object.keys(((schema as Fields)['properties'] ?? {}) as Fields)
        if (names.length > 0 && own.some((each) => !names.includes(each)))
          return [`${name}: ${own.join()}`]
        const { value, valid } = createCoercer(schema, { provider }).coerce(sent)
        if (shown.lossy.length > 0 || !validatorOf(shown.schema)(sent)) return []
        return valid && validatorOf(schema)(value) ? [] : [`${name}: ${JSON.stringify(sent)}`]
      })
      expect(faults.slice(0, 5)).toEqual([])
    })
  })
})
