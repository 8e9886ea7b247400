import type { FieldFault } from '@callgate/spec'
import type { ErrorObject } from 'ajv/dist/2020.js'

import { shown } from '../json.ts'
import {
  membersOf,
  type LoadedDocument,
  type LoadedObject,
  type LoadedSchema,
} from '../schema/model.ts'
import { nearest } from '../text/nearest.ts'
import { describeMembers, describeSchema, describeValue } from './describe.ts'

/** One error of ajv as a fault: by default the keyword and its limit say what fits (`minimum 1`). */
export function keywordFault(document: LoadedDocument, error: ErrorObject): FieldFault {
  const { keyword, instancePath: path, data, schema: limit } = error
  const schema = Object(error.parentSchema) as LoadedObject
  const got = describeValue(data)
  const fault = { path, constraint: keyword, got, expected: `${keyword} ${shown(limit)}` }
  const { missingProperty, additionalProperty, unevaluatedProperty } = error.params as Record<
    string,
    string | undefined
  >
  if (missingProperty !== undefined) {
    const name = missingProperty
    const { [name]: field } = schema.properties ?? {}
    const expected = `${shown(name)} (${describeSchema(document, field)})`
    return { ...fault, got: 'nothing', expected, suggestion: name }
  }
  const unknown = additionalProperty ?? unevaluatedProperty
  if (unknown !== undefined) return { ...fault, ...unknownField(schema, unknown, data) }
  const union = keyword === 'anyOf' || keyword === 'oneOf'
  const members = keyword === 'enum' || keyword === 'const' || union ? literals(schema) : undefined
  if (members) return { ...fault, expected: describeMembers(members), ...nearMember(data, members) }
  if (keyword !== 'type' && !union) return fault
  return { ...fault, expected: describeSchema(document, schema) }
}

function unknownField(schema: LoadedObject, name: string, data: unknown): Partial<FieldFault> {
  const names = Object.keys(schema.properties ?? {})
  const free = names.filter((other) => !Object.hasOwn(data as object, other))
  return {
    got: `the unknown field ${shown(name)}`,
    expected: names.length > 0 ? describeMembers(names) : 'no fields',
    ...suggest(nearest(name, free)),
  }
}

/** The values that an enum, a const, or a union of nothing else allows. */
function literals(schema: LoadedSchema): readonly unknown[] | undefined {
  if (typeof schema === 'boolean') return undefined
  const lists = (schema.anyOf ?? schema.oneOf)?.map(literals)
  return lists?.every((list) => list !== undefined) ? lists.flat() : membersOf(schema)
}

/** The nearest allowed value: numbers by distance, anything else by spelling. */
function nearMember(value: unknown, members: readonly unknown[]): Partial<FieldFault> {
  if (typeof value !== 'number') return suggest(nearest(nameOf(value), members.map(nameOf)))
  const numbers = members.filter((member) => typeof member === 'number')
  return suggest(numbers.toSorted((a, b) => Math.abs(a - value) - Math.abs(b - value))[0])
}

function suggest(near: string | number | undefined): Partial<FieldFault> {
  return near === undefined ? {} : { suggestion: String(near) }
}

function nameOf(value: unknown): string {
  return typeof value === 'string' ? value : shown(value)
}
