/** What a keyword holds: schemas in some arrangement, or data of some shape. */
export type KeywordKind =
  | 'schema'
  | 'list'
  | 'map'
  | 'definitions'
  | 'items'
  | 'dependencies'
  | 'names'
  | 'count'
  | 'number'
  | 'flag'
  | 'values'
  | 'value'
  | 'text'
  | 'type'

const groups: { readonly [kind in KeywordKind]: string } = {
  schema:
    'additionalProperties unevaluatedProperties propertyNames not if then else contains unevaluatedItems',
  list: 'allOf anyOf oneOf prefixItems',
  map: 'properties patternProperties dependentSchemas',
  definitions: '$defs definitions',
  items: 'items additionalItems',
  dependencies: 'dependencies dependentRequired',
  names: 'required',
  count:
    'minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties',
  number: 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf',
  flag: 'uniqueItems',
  values: 'enum',
  value: 'const',
  text: 'pattern',
  type: 'type',
}

/** The keywords that say something about values, of all drafts; any other keyword is data or an annotation. */
export const keywordKinds: ReadonlyMap<string, KeywordKind> = new Map(
  Object.entries(groups).flatMap(([kind, words]) =>
    words.split(' ').map((word) => [word, kind as KeywordKind] as const),
  ),
)
