import fc from 'fast-check'

const words = ['a', 'x', '__proto__', 'constructor', 'toString', 'length', 'then', '', '$ref', '0']

const references = [
  '#',
  '#/$defs/a',
  '#/$defs/b',
  '#/properties/x',
  '#/$defs/a/items',
  '#/$defs/__proto__',
  '#/constructor/prototype',
  '#/anyOf/0',
  '#anchor',
  '#/%zz',
  'https://example.test/remote.json',
  '',
]

const patterns = ['^a+$', '(a+)+$', '^(a|a)*$', '(', '\\', '[^]*x', '(?<=a)', '^\\d+$', '.*.*.*=.*']

const keywords = [
  ...[
    'type',
    'enum',
    'const',
    'properties',
    'patternProperties',
    'additionalProperties',
    'required',
  ],
  ...[
    'items',
    'prefixItems',
    'allOf',
    'anyOf',
    'oneOf',
    'not',
    'if',
    'then',
    'else',
    '$ref',
    '$defs',
  ],
  ...['minimum', 'maxLength', 'pattern', 'uniqueItems', 'contains', 'dependentSchemas', 'nullable'],
  ...[
    'dependencies',
    'propertyNames',
    'unevaluatedProperties',
    '$id',
    '$anchor',
    'exclusiveMinimum',
  ],
]

/** Anything that JSON.parse can give, with the keys that JavaScript trips over as own keys. */
export const hostileValue: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'value' },
    fc.constantFrom<unknown>(null, true, false, 0, -0, 1, 1.5, 1e308, 2 ** 53 + 2, '', ' ', '5'),
    fc.constantFrom(
      '"',
      '[',
      '{',
      '[1',
      '{"a":',
      "{'a':1}",
      'null',
      'NaN',
      '```',
      '"[1]"',
      '\ufeff1',
    ),
    fc.string(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...words), tie('value'), { maxKeys: 4, noNullPrototype: true }),
    tie('value').map((value) => JSON.stringify(value)),
    fc
      .tuple(fc.constantFrom(...words), tie('value'))
      .map(([key, value]): unknown => JSON.parse(`{"${key}":${JSON.stringify(value)}}`)),
    fc.nat(300).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
    fc
      .nat(300)
      .map((depth): unknown => JSON.parse('{"a":'.repeat(depth) + '1' + '}'.repeat(depth))),
  ),
})).value

/** Schemas of right and wrong parts, with references that lead anywhere, rings among them. */
export const hostileSchema: fc.Arbitrary<unknown> = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'schema' },
    fc.constantFrom<unknown>(true, false, {}, null, 5, 'string', ['integer']),
    fc
      .constantFrom<unknown>('string', 'integer', 'number', 'boolean', 'null', 'array', 'object')
      .map((type) => ({ type })),
    fc.constantFrom(...references).map(($ref) => ({ $ref })),
    fc.constantFrom(...patterns).map((pattern) => ({ pattern })),
    fc.dictionary(fc.constantFrom(...words), tie('schema')).map((properties) => ({ properties })),
    fc
      .dictionary(fc.constantFrom('a', 'b'), tie('schema'))
      .map(($defs) => ({ $defs, $ref: '#/$defs/a' })),
    fc
      .dictionary(fc.constantFrom(...patterns), tie('schema'))
      .map((patternProperties) => ({ patternProperties })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((oneOf) => ({ oneOf })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((allOf) => ({ allOf })),
    tie('schema').map((items) => ({ type: 'array', items })),
    tie('schema').map((additionalProperties) => ({ type: 'object', additionalProperties })),
    fc.dictionary(fc.constantFrom(...keywords), fc.oneof(tie('schema'), hostileValue), {
      maxKeys: 5,
    }),
  ),
})).schema
