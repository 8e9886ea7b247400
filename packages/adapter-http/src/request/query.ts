import {
  encode,
  encodeReserved,
  isAbsent,
  scalarText,
  separatorOf,
  shapeOf,
  type NestedArrays,
  type Serialisation,
} from './styles.ts'

/** Encodes one text for its place; `encode` for queries, another for form bodies. */
type Encoder = (text: string) => string

/** One `name=value` of a query or form body, both encoded. */
export type Pair = readonly [name: string, value: string]

/** Writes one query parameter by its style (D5). */
export function queryPairs(plan: Serialisation, value: unknown): readonly Pair[] {
  return pairsOf(plan, value, plan.allowReserved ? encodeReserved : encode)
}

/** Writes a value as name/value pairs: form, delimited and deepObject styles, or a JSON document. */
export function pairsOf(plan: Serialisation, value: unknown, encoder: Encoder): readonly Pair[] {
  if (isAbsent(value)) return []
  const name = encode(plan.name)
  if (plan.contentType !== undefined) return [[name, encoder(documentText(plan, value))]]
  if (plan.style === 'deepObject') return deepPairs(plan.name, value, plan.nestedArrays, encoder)
  const shape = shapeOf(value)
  if (shape.kind === 'absent') return []
  if (shape.kind === 'scalar') return [[name, encoder(shape.text)]]
  const separator = separatorOf(plan.style)
  if (shape.kind === 'list') {
    const items = shape.items.map((item) => encoder(item))
    return plan.explode ? items.map((item) => [name, item]) : [[name, items.join(separator)]]
  }
  const entries = shape.entries.map(([key, item]): Pair => [encoder(key), encoder(item)])
  return plan.explode
    ? shape.entries.map(([key, item]): Pair => [encode(key), encoder(item)])
    : [[name, entries.flat().join(separator)]]
}

/** Sets encoded `name=value` pairs in the query of an address, in place of those of the same name; all else stays as it is. */
export function withPairs(address: string, pairs: readonly string[]): string {
  const [place = '', ...fragment] = address.split('#')
  const [bare = '', ...search] = place.split('?')
  const names = pairs.map((pair) => pair.replace(/=.*$/s, '='))
  const others = search
    .join('?')
    .split('&')
    .filter((pair) => pair !== '' && !names.some((name) => pair.startsWith(name)))
  return [`${bare}?${[...others, ...pairs].join('&')}`, ...fragment].join('#')
}

function documentText(plan: Serialisation, value: unknown): string {
  return /json/i.test(plan.contentType ?? '') ? JSON.stringify(value) : scalarText(value)
}

/** `filter[a][b]=1`: each level in brackets; lists by the declared rule, since the specification leaves them open. */
function deepPairs(
  path: string,
  value: unknown,
  nestedArrays: NestedArrays = 'indices',
  encoder: Encoder,
): readonly Pair[] {
  if (isAbsent(value)) return []
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => {
      // A list of objects needs the index, or their fields would mix.
      const nested = typeof item === 'object' && item !== null
      const suffix =
        nestedArrays === 'indices' || nested
          ? `[${index}]`
          : nestedArrays === 'brackets'
            ? '[]'
            : ''
      return deepPairs(path + suffix, item, nestedArrays, encoder)
    })
  }
  if (typeof value === 'object') {
    return Object.entries(value).flatMap(([key, item]) =>
      deepPairs(`${path}[${key}]`, item, nestedArrays, encoder),
    )
  }
  return [[encode(path), encoder(scalarText(value))]]
}
