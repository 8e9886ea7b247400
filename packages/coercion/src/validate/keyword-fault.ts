import type { FieldFault } from '@callgate/spec'
import type { ErrorObject } from 'ajv/dist/2020.js'

import type { LoadedDocument, LoadedObject, LoadedSchema } from '../schema/model.ts'
import { nearest } from '../text/nearest.ts'
import { describeMembers, describeSchema, describeValue, valueText } from './describe.ts'

interface Facts {
  readonly document: LoadedDocument
  readonly error: ErrorObject
  /** The schema that holds the keyword. */
  readonly schema: LoadedObject
  /** What the keyword says. */
  readonly limit: unknown
}
type Words = Partial<Omit<FieldFault, 'path' | 'constraint'>>

const counted: { readonly [keyword: string]: readonly [string, string] } = {
  minLength: ['at least', 'characters'],
  maxLength: ['at most', 'characters'],
  minItems: ['at least', 'entries'],
  maxItems: ['at most', 'entries'],
  minProperties: ['at least', 'fields'],
  maxProperties: ['at most', 'fields'],
  minimum: ['at least', ''],
  maximum: ['at most', ''],
  exclusiveMinimum: ['more than', ''],
  exclusiveMaximum: ['less than', ''],
  multipleOf: ['a multiple of', ''],
}

const worded: { readonly [keyword: string]: (facts: Facts) => Words } = {
  type: ({ document, schema }) => ({ expected: describeSchema(document, schema) }),
  required: missingField,
  dependentRequired: missingField,
  additionalProperties: unknownField,
  unevaluatedProperties: unknownField,
  enum: ({ error, limit }) => memberWords(error.data, limit as readonly unknown[]),
  const: ({ error, limit }) => memberWords(error.data, [limit]),
  pattern: ({ limit }) => ({ expected: `text that matches ${String(limit)}` }),
  uniqueItems: () => ({ expected: 'entries that all differ' }),
  contains: ({ document, limit }) => ({
    expected: `an entry that is ${describeSchema(document, limit as LoadedSchema)}`,
  }),
  not: ({ document, limit }) => ({
    expected: `anything but ${describeSchema(document, limit as LoadedSchema)}`,
  }),
  anyOf: unionWords,
  oneOf: unionWords,
  'false schema': () => ({ expected: 'nothing: no value is allowed here' }),
}

export function keywordFault(document: LoadedDocument, error: ErrorObject): FieldFault {
  const { keyword, instancePath: path, data, schema: limit } = error
  const schema: LoadedObject = { ...(error.parentSchema as LoadedObject | undefined) }
  const count = counted[keyword]
  const words = count
    ? { expected: `${count[0]} ${String(limit)} ${count[1]}`.trim() }
    : worded[keyword]?.({ document, error, schema, limit })
  return {
    path,
    constraint: keyword,
    got: describeValue(data),
    expected: `what ${keyword} allows`,
    ...words,
  }
}

function missingField({ document, error, schema }: Facts): Words {
  const name = String((error.params as { missingProperty?: unknown }).missingProperty)
  const { properties } = schema
  const known = properties && Object.hasOwn(properties, name) ? properties[name] : undefined
  const kind = known === undefined ? '' : ` (${describeSchema(document, known)})`
  return { got: 'nothing', expected: `the field ${JSON.stringify(name)}${kind}`, suggestion: name }
}

function unknownField({ error, schema }: Facts): Words {
  const params = error.params as { additionalProperty?: unknown; unevaluatedProperty?: unknown }
  const name = String(params.additionalProperty ?? params.unevaluatedProperty)
  const names = Object.keys(schema.properties ?? {})
  const given = Object.keys((error.data as object | undefined) ?? {})
  const near = nearest(
    name,
    names.filter((other) => !given.includes(other)),
  )
  return {
    got: `the unknown field ${valueText(name)}`,
    expected: names.length === 0 ? 'no fields' : `only ${fieldList(names)}`,
    ...(near === undefined ? {} : { suggestion: near }),
  }
}

function fieldList(names: readonly string[]): string {
  return names.length === 1
    ? valueText(names[0])
    : describeMembers(names).replace('one of', 'the fields')
}

/** The nearest allowed value: text by spelling, numbers by distance, anything else by being written alike. */
export function memberWords(value: unknown, members: readonly unknown[]): Words {
  const near = nearestMember(value, members)
  return {
    expected: describeMembers(members),
    ...(near === undefined
      ? {}
      : { suggestion: typeof near === 'string' ? near : valueText(near) }),
  }
}

function nearestMember(value: unknown, members: readonly unknown[]): unknown {
  if (typeof value === 'number') {
    const numbers = members.filter((member) => typeof member === 'number')
    const byDistance = (a: number, b: number): number => Math.abs(a - value) - Math.abs(b - value)
    if (numbers.length > 0) return numbers.toSorted(byDistance)[0]
  }
  if (typeof value === 'object' || value === undefined) return undefined
  const texts = members.filter((member) => typeof member !== 'object').map(String)
  const near = nearest(String(value), texts)
  return near === undefined ? undefined : members.find((member) => String(member) === near)
}

function unionWords({ document, error, schema }: Facts): Words {
  const { passingSchemas } = error.params as { passingSchemas?: readonly number[] | null }
  if (passingSchemas) return { expected: 'exactly one of the alternatives, but several fit' }
  const { anyOf, oneOf } = schema
  const members = (anyOf ?? oneOf ?? []).map(literals)
  if (members.every((values) => values !== undefined))
    return memberWords(error.data, members.flat())
  return { expected: describeSchema(document, anyOf ? { anyOf } : { oneOf: oneOf ?? [] }) }
}

function literals(schema: LoadedSchema): readonly unknown[] | undefined {
  if (typeof schema === 'boolean') return undefined
  return 'const' in schema ? [schema.const] : schema.enum
}
