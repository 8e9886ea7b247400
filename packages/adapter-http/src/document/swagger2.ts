import { isRecord, type Located, type References } from './references.ts'

/** Parameters and body of a Swagger 2.0 operation in the shape that OpenAPI 3 has. */
export interface Modernised {
  readonly parameters: readonly Located[]
  readonly body?: Located
}

/** Turns `body` and `formData` parameters into a request body; others stay as they are (D1). */
export function modernise(
  lists: readonly Located[],
  consumes: readonly string[],
  references: References,
): Modernised {
  const all = lists.flatMap((list) =>
    (Array.isArray(list.value) ? (list.value as unknown[]) : []).map((item) =>
      references.follow({ value: item, file: list.file }),
    ),
  )
  const at = (place: string): readonly Located[] =>
    all.filter(({ value }) => isRecord(value) && value['in'] === place)
  const rest = all.filter((node) => !at('body').includes(node) && !at('formData').includes(node))
  const parameters = [{ value: rest.map(({ value }) => value), file: rest[0]?.file ?? '' }]
  const types = declaredTypes(at('header')) ?? consumes
  const body = at('body').at(-1)
  if (body) return { parameters, body: bodyNode(body, types) }
  const fields = at('formData')
  return fields.length === 0 ? { parameters } : { parameters, body: formNode(fields, types) }
}

/** A parameter for Content-Type says what is sent more exactly than `consumes`; the model does not see it (D7). */
function declaredTypes(headers: readonly Located[]): readonly string[] | undefined {
  const nodes = headers.map(({ value }) => value as Record<string, unknown>)
  const node = nodes.find(({ name }) => String(name).toLowerCase() === 'content-type')
  if (typeof node?.['default'] === 'string') return [node['default']]
  const values = node?.['enum']
  return Array.isArray(values) && values.length > 0 ? values.map(String) : undefined
}

function bodyNode({ value, file }: Located, consumes: readonly string[]): Located {
  const node = value as Record<string, unknown>
  const media = { schema: node['schema'] ?? {} }
  const types = consumes.length === 0 ? ['application/json'] : consumes
  return {
    file,
    value: {
      required: node['required'] === true,
      content: Object.fromEntries(types.map((type) => [type, media])),
    },
  }
}

function formNode(fields: readonly Located[], consumes: readonly string[]): Located {
  const nodes = fields.map(({ value }) => value as Record<string, unknown>)
  const hasFile = nodes.some((node) => node['type'] === 'file')
  const multipart =
    hasFile || (consumes.length > 0 && consumes.every((type) => type.startsWith('multipart/')))
  const properties = nodes.map((node) => {
    const { name, in: _in, required: _required, ...schema } = node
    return [String(name), schema] as const
  })
  const required = nodes.filter((node) => node['required'] === true).map((node) => node['name'])
  const encoding = nodes
    .filter((node) => node['type'] === 'array')
    .map(
      (node) => [String(node['name']), { explode: node['collectionFormat'] === 'multi' }] as const,
    )
  return {
    file: fields[0]?.file ?? '',
    value: {
      required: required.length > 0,
      content: {
        [multipart ? 'multipart/form-data' : 'application/x-www-form-urlencoded']: {
          schema: { type: 'object', properties: Object.fromEntries(properties), required },
          encoding: Object.fromEntries(encoding),
        },
      },
    },
  }
}
