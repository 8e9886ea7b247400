import { InvalidToolError } from '@callgate/spec'

import { isRecord, pick, type Data } from './read-data.ts'

/**
 * The list `inputs` of the articles as JSON Schema: `type: enum` with `allowed_values`, `range`, `default`, and
 * `validation` with `pattern`, `forbidden_patterns` and `max_length`. Undeclared parameters are refused.
 *
 * @throws InvalidToolError for an input without a name.
 */
export function inputsToSchema(inputs: readonly unknown[], where: string): Data {
  const properties: Record<string, Data> = {}
  const required: string[] = []
  for (const [index, input] of inputs.entries()) {
    if (!isRecord(input) || typeof input['name'] !== 'string') {
      throw new InvalidToolError({
        rule: 'tool-data',
        where: `${where}/${index}/name`,
        message: `A declared tool is refused: ${where}/${index} has no name.`,
        hint: 'Each input needs a name and a type.',
      })
    }
    properties[input['name']] = inputToSchema(input)
    if (input['required'] === true) required.push(input['name'])
  }
  return { type: 'object', properties, required, additionalProperties: false }
}

function inputToSchema(input: Data): Data {
  const validation = isRecord(input['validation']) ? input['validation'] : {}
  const [minimum, maximum] = Array.isArray(input['range']) ? (input['range'] as unknown[]) : []
  const forbidden = Array.isArray(validation['forbidden_patterns'])
    ? validation['forbidden_patterns']
    : []
  const schema = {
    type: input['type'] === 'enum' ? 'string' : input['type'],
    ...pick(input, ['description', 'default', 'items', 'properties']),
    enum: input['allowed_values'],
    pattern: validation['pattern'],
    minLength: validation['min_length'],
    maxLength: validation['max_length'],
    minimum,
    maximum,
    allOf: forbidden.length === 0 ? undefined : forbidden.map((pattern) => ({ not: { pattern } })),
  }
  return pick(schema, Object.keys(schema))
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
