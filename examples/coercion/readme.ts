import { createCoercer, sanitizeSchema } from '@callgate/coercion'

const schema = {
  type: 'object',
  properties: {
    'page size': { type: 'integer', maximum: 100 },
    tags: { type: 'array', items: { type: 'string' } },
    draft: { type: 'boolean' },
  },
  required: ['page size'],
  additionalProperties: false,
}

// What the model is shown: names that the provider takes.
const shown = sanitizeSchema(schema, { provider: 'anthropic' }).schema as typeof schema
console.log(Object.keys(shown.properties))

// What it sends back: the shown names, numbers as text, a list as JSON text.
const coercer = createCoercer(schema, { provider: 'anthropic' })
const { value, valid, errors, repairs } = coercer.coerceText(
  '{"page_size":"25","tags":"[\\"a\\",\\"b\\"]","draft":"no"}',
)
console.log(valid, value)
for (const { path, rule } of repairs) console.log(path, rule)
for (const { path, got, expected } of errors) console.log(path, `got ${got}, expected ${expected}`)
