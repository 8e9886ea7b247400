import { isRecord, pick, type Data } from './read-data.ts'

/**
 * The list `inputs` of the articles as JSON Schema: `type: enum` with `allowed_values`, `range`, `default`, and
 * `validation` with `pattern`, `forbidden_patterns` and `max_length`; keys in camelCase. Undeclared parameters are
 * refused.
 */
export function inputsToSchema(inputs: readonly Input[]): Data {
  return {
    type: 'object',
    properties: Object.fromEntries(inputs.map((input) => [input.name, inputToSchema(input)])),
    required: inputs.filter(({ required }) => required === true).map(({ name }) => name),
    additionalProperties: false,
  }
}

/** One input whose fields were looked at. */
export interface Input extends Data {
  readonly name: string
  readonly type?: unknown
  readonly required?: boolean
  readonly allowedValues?: readonly unknown[]
  readonly range?: readonly [number, number]
  readonly validation?: {
    readonly pattern?: string
    readonly forbiddenPatterns?: readonly string[]
    readonly minLength?: number
    readonly maxLength?: number
  }
}

function inputToSchema(input: Input): Data {
  const { type, allowedValues, range: [minimum, maximum] = [], validation = {} } = input
  const { forbiddenPatterns = [], ...bounds } = validation
  const schema = {
    type: type === 'enum' ? enumType(allowedValues) : type,
    ...pick(input, ['description', 'default', 'items', 'properties']),
    enum: allowedValues,
    ...bounds,
    minimum,
    maximum,
    allOf:
      forbiddenPatterns.length === 0
        ? undefined
        : forbiddenPatterns.map((pattern) => ({ not: { pattern } })),
  }
  return pick(schema, Object.keys(schema))
}

/** Mostly text; of what else they are, the values say themselves. */
function enumType(values: readonly unknown[] = []): string | undefined {
  return values.every((value) => typeof value === 'string') ? 'string' : undefined
}

/** The list `outputs` of the articles as JSON Schema. */
export function outputsToSchema(outputs: readonly unknown[]): Data {
  const named = outputs.filter(
    (output): output is Data => isRecord(output) && typeof output['name'] === 'string',
  )
  return {
    type: 'object',
    properties: Object.fromEntries(
      named.map((output) => [
        output['name'],
        pick(output, ['type', 'description', 'items', 'properties']),
      ]),
    ),
  }
}
