import { child, locate, record } from '../pointer.ts'
import type { MockParameter } from './operations.ts'

type Pairs = readonly (readonly [name: string, text: string])[]
const delimiters: { readonly [style: string]: string } = {
  spaceDelimited: ' ',
  pipeDelimited: '|',
}

/** What a schema is about, as far as texts need it to become values again. */
function typeAt(root: unknown, at: string, depth = 0): string {
  const { node } = locate(root, at)
  const type = [node['type']].flat().find((name) => name !== 'null')
  if (typeof type === 'string') return type
  if ('properties' in node) return 'object'
  if ('items' in node) return 'array'
  const branches = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => {
    const list = node[keyword]
    return Array.isArray(list)
      ? list.map((_, index) => `${locate(root, at).at}/${keyword}/${index}`)
      : []
  })
  const types = depth > 5 ? [] : branches.map((branch) => typeAt(root, branch, depth + 1))
  return types.find((name) => name !== 'null') ?? 'string'
}

/** The value of a parameter that is one text: of the path or of a header. */
export function decodeSimple(text: string, parameter: MockParameter, root: unknown): unknown {
  if (parameter.isJson) return JSON.parse(text) as unknown
  const type = typeAt(root, parameter.schema)
  if (type === 'array') return text.split(',')
  if (type !== 'object') return text
  const parts = text.split(',')
  if (parameter.explode) return Object.fromEntries(parts.map((part) => part.split('=', 2)))
  return Object.fromEntries(
    parts.flatMap((name, index) => (index % 2 === 0 ? [[name, parts[index + 1]]] : [])),
  )
}

/** The value of a parameter of the query, and the pairs that belong to it. */
export function decodeQuery(
  pairs: Pairs,
  parameter: MockParameter,
  root: unknown,
): { readonly value: unknown; readonly used: Pairs } {
  const { name, style, explode, schema } = parameter
  if (style === 'deepObject') {
    const used = pairs.filter(([key]) => key === name || key.startsWith(`${name}[`))
    return { used, value: used.length === 0 ? undefined : record(nested(used))[name] }
  }
  const used = pairs.filter(([key]) => key === name)
  if (used.length === 0) return { used, value: undefined }
  const texts = used.map(([, text]) => text)
  if (parameter.isJson) return { used, value: JSON.parse(texts[0] ?? '') as unknown }
  if (typeAt(root, schema) !== 'array') return { used, value: texts.at(-1) }
  return { used, value: explode ? texts : texts[0]?.split(delimiters[style] ?? ',') }
}

/** The fields of a form: `a[b][c]` is a value in an object, `a[0]` in a list, a repeated name a list. */
export function nested(pairs: Pairs): unknown {
  const root: Record<string, unknown> = {}
  for (const [key, text] of pairs) {
    const [first = '', ...rest] = key.split(/\]?\[|\]$/)
    const path = [first, ...rest.filter((part, index) => part !== '' || index < rest.length - 1)]
    let node = root
    for (const part of path.slice(0, -1)) {
      node[part] ??= {}
      node = node[part] as Record<string, unknown>
    }
    const last = path.at(-1) ?? ''
    const before = node[last]
    node[last] = before === undefined ? text : [before, text].flat()
  }
  return listsOf(root)
}

/** Texts of a multipart body by the type of their field: JSON for an object, a list where the field is one. */
export function shaped(fields: unknown, at: string, root: unknown): unknown {
  const entries = Object.entries(record(fields)).map(([name, value]) => {
    const type = typeAt(root, child(child(at, 'properties'), name))
    if (type === 'array') return [name, [value].flat()] as const
    const isJson = type === 'object' && typeof value === 'string'
    return [name, isJson ? (JSON.parse(value) as unknown) : value] as const
  })
  return Object.fromEntries(entries)
}

/** Objects whose keys are 0, 1, … are lists. */
function listsOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).map(([key, item]) => [key, listsOf(item)] as const)
  const isList = entries.length > 0 && entries.every(([key], index) => key === String(index))
  return isList ? entries.map(([, item]) => item) : Object.fromEntries(entries)
}
