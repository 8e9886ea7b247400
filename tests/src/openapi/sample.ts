import { locate, record } from './pointer.ts'

type Schema = Record<string, unknown>

/** Text that every place of a request has to encode. */
const plainText = 'a b/ü&=?#+%2F'
const formats: { readonly [format: string]: string } = {
  date: '2026-11-30',
  'date-time': '2026-11-30T12:00:00Z',
  email: 'a@b.example',
  hostname: 'host.example',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://host.example/a?b=c&d',
  url: 'https://host.example/a?b=c&d',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  byte: 'YWJj',
}
const patternTexts = [
  ...['abc', 'a', '1', '12345678901234567', '0', 'a_b', 'abc/def', 'ABC', 'abc-def', '#ffffff'],
  ...[
    '2026-11-30',
    '2026-11-30T12:00:00Z',
    'https://host.example/',
    '0'.repeat(40),
    'a'.repeat(64),
  ],
  ...[
    '1.2.3',
    'a.b',
    'refs/heads/main',
    'ssh-rsa AAAA',
    `sha256:${'0'.repeat(64)}`,
    'data:image/png;base64,YWJj',
    '12:00',
    '[0]',
    'a'.repeat(30),
  ],
]

/** How deep optional properties are filled. */
const optionalDepth = 2
const deepest = 12

/**
 * Makes a value that a schema permits, of a tool or of a document; a best guess where patterns or `not` decide.
 *
 * `root` is what references lead into.
 */
export function sampleOf(schema: unknown, root: unknown, depth = 0): unknown {
  if (depth > deepest) return null
  const given = record(schema)
  const node =
    typeof given['$ref'] === 'string' ? { ...locate(root, given['$ref']).node, ...given } : given
  if ('const' in node) return node['const']
  const values = list(node['enum'])
  if (values.length > 0) return values.find((value) => value !== null) ?? null
  const [branch] = [...list(node['oneOf']), ...list(node['anyOf'])].filter(
    (option) => record(option)['type'] !== 'null',
  )
  const parts = [...list(node['allOf']), ...(branch === undefined ? [] : [branch])]
  if (parts.length === 0) return ofType(node, root, depth)
  const samples = parts.map((part) => sampleOf(part, root, depth + 1))
  const own = 'properties' in node ? [ofType({ ...node, type: 'object' }, root, depth)] : []
  const objects = [...samples, ...own].filter(isObject)
  return objects.length > 0 ? Object.assign({}, ...objects) : samples[0]
}

function ofType(node: Schema, root: unknown, depth: number): unknown {
  const type = [node['type']].flat().find((name) => name !== 'null') ?? impliedType(node)
  switch (type) {
    case 'object':
      return objectOf(node, root, depth)
    case 'array':
      return arrayOf(node, root, depth)
    case 'integer':
    case 'number':
      return numberOf(node, type === 'integer' ? 7 : 1.5)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return textOf(node)
  }
}

function impliedType(node: Schema): string {
  if ('properties' in node || 'additionalProperties' in node) return 'object'
  return 'items' in node ? 'array' : 'string'
}

function objectOf(node: Schema, root: unknown, depth: number): object {
  const properties = Object.entries(record(node['properties']))
  const required = new Set(list(node['required']))
  // An object without properties leaves no trace in a form.
  const first = required.size === 0 ? properties[0]?.[0] : undefined
  const chosen = properties.filter(
    ([name]) => required.has(name) || depth < optionalDepth || name === first,
  )
  const entries = chosen.map(([name, schema]) => [name, sampleOf(schema, root, depth + 1)] as const)
  const missing = [...required].filter((name) => !entries.some(([known]) => known === name))
  const additional = node['additionalProperties']
  if (isObject(additional) && properties.length === 0 && depth < optionalDepth) missing.push('k&ey')
  const rest = missing.map((name) => [String(name), sampleOf(additional, root, depth + 1)] as const)
  return Object.fromEntries([...entries, ...rest])
}

function arrayOf(node: Schema, root: unknown, depth: number): readonly unknown[] {
  const { minItems = 1, maxItems = 100 } = node as { minItems?: number; maxItems?: number }
  const length = Math.min(Math.max(1, minItems), maxItems)
  const fixed = list(node['prefixItems'])
  return Array.from({ length }, (_, index) =>
    sampleOf(fixed[index] ?? node['items'], root, depth + 1),
  )
}

function numberOf(node: Schema, usual: number): number {
  const { minimum, maximum, exclusiveMinimum, multipleOf = 1 } = node as Record<string, number>
  const least = typeof exclusiveMinimum === 'number' ? exclusiveMinimum + multipleOf! : minimum
  const low = Math.max(usual, least ?? usual)
  const fitting = Math.min(low, maximum ?? low)
  return multipleOf === 1 ? fitting : Math.ceil(fitting / multipleOf!) * multipleOf!
}

function textOf(node: Schema): string {
  const {
    minLength = 0,
    maxLength = 1000,
    pattern,
    format,
  } = node as {
    minLength?: number
    maxLength?: number
    pattern?: string
    format?: string
  }
  const fits = (text: string): boolean => text.length >= minLength && text.length <= maxLength
  if (pattern !== undefined) {
    const expression = new RegExp(pattern, 'u')
    return patternTexts.find((text) => expression.test(text) && fits(text)) ?? plainText
  }
  const text = formats[format ?? ''] ?? plainText
  return text.padEnd(minLength, 'x').slice(0, maxLength)
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : []
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
