import type { JsonSchema } from '@callgate/spec'

/**
 * Words that changed between Swagger 2.0 or OpenAPI 3.0 and JSON Schema 2020-12: `nullable` (also `x-nullable`) and
 * boolean exclusive bounds. Takes the converted keywords and the node that they come from.
 */
export function modernise(
  converted: Record<string, unknown>,
  node: Record<string, unknown>,
): JsonSchema {
  const bounded = exclusive(
    exclusive(converted, 'exclusiveMinimum', 'minimum'),
    'exclusiveMaximum',
    'maximum',
  )
  return node['nullable'] === true || node['x-nullable'] === true ? nullable(bounded) : bounded
}

function nullable(schema: Record<string, unknown>): JsonSchema {
  const { type, enum: values } = schema
  if (typeof type === 'string') {
    const nullValue = Array.isArray(values) && !values.includes(null)
    return {
      ...schema,
      type: [type, 'null'],
      ...(nullValue ? { enum: [...(values as unknown[]), null] } : {}),
    }
  }
  const combined = ['allOf', 'anyOf', 'oneOf'].some((keyword) => keyword in schema)
  return combined ? { anyOf: [schema, { type: 'null' }] } : schema
}

/** `exclusiveMinimum: true` beside `minimum: 3` is `exclusiveMinimum: 3` since draft 6. */
function exclusive(
  schema: Record<string, unknown>,
  keyword: 'exclusiveMinimum' | 'exclusiveMaximum',
  bound: 'minimum' | 'maximum',
): Record<string, unknown> {
  const { [keyword]: flag, [bound]: limit, ...rest } = schema
  if (typeof flag !== 'boolean') return schema
  if (limit === undefined) return rest
  return { ...rest, [flag ? keyword : bound]: limit }
}
