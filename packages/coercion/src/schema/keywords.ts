import { isFields, shown, textOf } from '../json.ts'
import { UNEVALUATED_NAMES } from '../limits.ts'
import { report } from './loading.ts'
import {
  isFilled,
  readDependencies,
  readItems,
  readList,
  readMap,
  readNames,
  readNumber,
  readPattern,
  readType,
  WRONG,
  type Read,
  type Reading,
} from './readers.ts'

/** What a keyword holds, where it holds schemas: one, or a list or a map of them. */
export type KeywordKind = 'schema' | 'schemas'

/** The keywords that are read in the same way. */
const groups: readonly (readonly [words: string, read: Read, kind?: KeywordKind])[] = [
  [
    'additionalProperties unevaluatedProperties propertyNames not if then else contains unevaluatedItems',
    (value, path, { inner }) => inner(value, path),
    'schema',
  ],
  ['items additionalItems', readItems, 'schema'],
  ['allOf anyOf oneOf prefixItems', readList, 'schemas'],
  ['properties patternProperties dependentSchemas', readMap, 'schemas'],
  ['$defs definitions', () => undefined, 'schemas'],
  ['dependencies dependentRequired', readDependencies],
  ['type', readType],
  ['required', readNames],
  [
    'minContains maxContains minProperties maxProperties minLength maxLength minItems maxItems',
    (value) => (Number.isInteger(value) && Number(value) >= 0 ? value : WRONG),
  ],
  ['minimum maximum exclusiveMinimum exclusiveMaximum multipleOf', readNumber],
  ['uniqueItems', (value) => (typeof value === 'boolean' ? value : WRONG)],
  ['enum', (value) => (isFilled(value) ? value : WRONG)],
  ['const', (value) => value],
  ['pattern', readPattern],
]

/** The keywords that say something about values, of all drafts; any other keyword is data or an annotation. */
export const keywords: ReadonlyMap<string, readonly [read: Read, kind?: KeywordKind]> = new Map(
  groups.flatMap(([words, ...how]) => words.split(' ').map((word) => [word, how] as const)),
)

/** Loading resolves these. */
const resolved = /^\$|^id$|nullable$/

/** Puts what a keyword, at a pointer, says into `reading.out`, or reports what is wrong with it. */
export function readKeyword(keyword: string, value: unknown, path: string, reading: Reading): void {
  // From a program: as absent as it is in JSON.
  if (value === undefined) return
  const { loading, out } = reading
  const [read] = keywords.get(keyword) ?? []
  if (read === undefined) {
    if (loading.forShow && !resolved.test(keyword)) out[keyword] = value
  } else if (value !== null || keyword === 'const') {
    if (/^(?:not|if|one)/.test(keyword)) loading.nots.push([out, keyword])
    loading.parts += keyword.startsWith('une') ? unevaluatedParts(reading) : 1
    const said = read(value, path, reading, keyword)
    if (said === WRONG) {
      report(loading.document.problems, path, keyword, `${shown(value)} is no ${keyword}`)
    } else if (said !== undefined) out[keyword] = said
  }
}

/** Keywords whose schemas are about the very value that the schema with them is for. */
export const inPlace: RegExp =
  /^(?:not|anyOf|oneOf|allOf|if|then|else|dependentSchemas|dependencies)$/

/** What `unevaluated…` counts for: its code grows with the square of the names that it leaves out. */
function unevaluatedParts({ loading, raw }: Reading): number {
  const schemas = new Set<unknown>([raw])
  let names = 0
  loading.document.unevaluated = true
  // A set that grows while it is walked is walked to its end.
  for (const schema of schemas) {
    if (!isFields(schema)) continue
    names += Object.keys(Object(schema['properties']) as object).length
    for (const [keyword, value] of Object.entries(schema)) {
      if (/^\$.*ef$/.test(keyword)) schemas.add(loading.resolve(textOf(value), schema))
      if (inPlace.test(keyword)) {
        schemas.add(value)
        for (const part of Object.values(Object(value) as object)) schemas.add(part)
      }
    }
  }
  return 1 + (names / UNEVALUATED_NAMES) ** 2
}
