import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js'

import { record } from '../pointer.ts'

/** Checks values by the schemas of a document. */
export interface MockSchemas {
  /** Faults of a value by the schema at a place; texts of forms and addresses count as the scalars that they spell. */
  faults(at: string, value: unknown, isText: boolean): readonly string[]
}

const options = {
  strict: false,
  validateFormats: false,
  validateSchema: false,
  addUsedSchema: false,
  allErrors: true,
} as const

export function mockSchemas(root: unknown): MockSchemas {
  const ajv = (isText: boolean): Ajv2020 => {
    const schemas = requestSchemas(root, isText) as AnySchema
    return new Ajv2020({ ...options, coerceTypes: isText }).addSchema(schemas, 'document')
  }
  const [exact, textual] = [ajv(false), ajv(true)]
  const compiled = new Map<string, ValidateFunction>()
  const compile = (at: string, isText: boolean): ValidateFunction => {
    const key = `${isText} ${at}`
    const known = compiled.get(key)
    if (known !== undefined) return known
    // A scalar can only change its type in a holder.
    const holder = { properties: { value: { $ref: `document${encodeURI(at)}` } } }
    const validate = (isText ? textual : exact).compile(holder)
    compiled.set(key, validate)
    return validate
  }
  return {
    faults: (at, value, isText) => {
      const validate = compile(at, isText)
      // Not to be seen by the caller.
      if (validate({ value: structuredClone(value) })) return []
      return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
    },
  }
}

/** The document with what 3.0 says otherwise than 2020-12 rewritten; what is readOnly need not be sent. */
function requestSchemas(node: unknown, isText: boolean): unknown {
  if (Array.isArray(node)) return node.map((item) => requestSchemas(item, isText))
  if (typeof node !== 'object' || node === null) return node
  const own = node as Record<string, unknown>
  const kept = Object.entries(own).filter(([key, value]) => !isForeign[key]?.(value))
  const rewritten = kept.map(([key, value]) => {
    if (key === 'required') return [key, sendable(value, own)] as const
    // As a text a value is of every type that it spells.
    const name = key === 'oneOf' && isText ? 'anyOf' : key
    return [name, requestSchemas(value, isText)] as const
  })
  const schema = Object.fromEntries(rewritten)
  return own['nullable'] === true ? { anyOf: [schema, { type: 'null' }] } : schema
}

const isBoolean = (value: unknown): boolean => typeof value === 'boolean'

/** Words that mean something else in a document than in JSON Schema, or that a validator refuses. */
const isForeign: { readonly [keyword: string]: ((value: unknown) => boolean) | undefined } = {
  $id: () => true,
  discriminator: () => true,
  nullable: isBoolean,
  exclusiveMinimum: isBoolean,
  exclusiveMaximum: isBoolean,
  // In a parameter it is a flag.
  required: isBoolean,
  enum: (value) => Array.isArray(value) && value.length === 0,
  type: (value) => value === 'file',
  pattern: (value) => typeof value === 'string' && !isPattern(value),
}

function sendable(names: unknown, { properties }: Record<string, unknown>): unknown {
  if (!Array.isArray(names)) return names
  return names.filter((name) => record(record(properties)[String(name)])['readOnly'] !== true)
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp
  } catch {
    return false
  }
}
