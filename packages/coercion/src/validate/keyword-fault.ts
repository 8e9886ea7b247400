import type { FieldFault } from '@callgate/spec'
import type { ErrorObject } from 'ajv/dist/2020.js'

import { shown } from '../json.ts'
import type { LoadedDocument, LoadedObject, LoadedSchema } from '../schema/model.ts'
import { nearest } from '../text/nearest.ts'
import { describeMembers, describeSchema, describeValue, literals } from './describe.ts'

/** One error of ajv as a fault: by default the keyword and its limit say what fits (`minimum 1`). */
export function keywordFault(document: LoadedDocument, error: ErrorObject): FieldFault {
  const { keyword: constraint, instancePath: path, data, params } = error
  const schema = Object(error.parentSchema) as LoadedObject
  const { properties = {} } = schema
  const {
    missingProperty,
    unevaluatedProperty,
    additionalProperty = unevaluatedProperty,
    members,
  } = params as { readonly [param: string]: string | undefined } & {
    readonly members?: readonly unknown[]
  }
  const fits = (part: LoadedSchema | undefined): string =>
    members ? describeMembers(members) : describeSchema(document, part)
  let got = describeValue(data)
  let expected = `${constraint} ${shown(error.schema)}`
  let near: string | number | undefined
  if (missingProperty !== undefined) {
    got = 'nothing'
    near = missingProperty
    expected = `${shown(near)} (${fits(properties[missingProperty])})`
  } else if (additionalProperty !== undefined) {
    const names = Object.keys(properties)
    got = `the unknown field ${shown(additionalProperty)}`
    expected = names.length > 0 ? describeMembers(names) : 'no fields'
    near = nearest(
      additionalProperty,
      names.filter((name) => !Object.hasOwn(data as object, name)),
    )
  } else if (/^(?:anyOf|oneOf|enum|const|type)$/.test(constraint)) {
    expected = fits(schema)
    near = constraint === 'type' ? undefined : nearMember(data, members ?? literals(schema) ?? [])
  }
  const fault = { path, constraint, got, expected }
  return near === undefined ? fault : { ...fault, suggestion: String(near) }
}

/** The nearest allowed value: numbers by distance, anything else by spelling. */
function nearMember(value: unknown, members: readonly unknown[]): string | number | undefined {
  if (typeof value === 'number') {
    const numbers = members.filter((member) => typeof member === 'number')
    return numbers.toSorted((a, b) => Math.abs(a - value) - Math.abs(b - value))[0]
  }
  return nearest(nameOf(value), members.map(nameOf))
}

function nameOf(value: unknown): string {
  return typeof value === 'string' ? value : shown(value)
}
