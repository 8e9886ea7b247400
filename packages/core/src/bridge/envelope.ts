import { describeSparse, isSparse } from '../results/sparse.ts'
import { isBridgeName } from './bridge-names.ts'

/** One entry of a `tool_call`: the name of the underlying tool and its arguments. */
export interface Entry {
  readonly name: string
  readonly arguments: unknown
}

export type Envelope =
  | { readonly ok: true; readonly entries: readonly Entry[] }
  /** `reason` says what is wrong, in words for the model. */
  | { readonly ok: false; readonly reason: string }

/** How the values of an envelope are read: expansion keeps every digit and key, the dispatcher is lenient. */
export interface EnvelopeReader {
  /** JSON text to a value; undefined where it is not JSON. */
  parse(text: string): unknown
  /** The own field of an object, or undefined; never called with anything but an object. */
  field(object: object, key: string): unknown
  isObject(value: unknown): value is object
  /** What an entry's arguments are taken for: an object, or undefined where they cannot be. */
  readArguments(value: unknown): unknown
}

/** Reads the arguments of a `tool_call` (R2.5). Never throws for what they hold. */
export function readEnvelope(raw: unknown, reader: EnvelopeReader): Envelope {
  const list = readList(raw, reader)
  if (typeof list === 'string') return { ok: false, reason: list }
  const entries: Entry[] = []
  for (const [index, item] of list.entries()) {
    const entry = readEntry(item, reader)
    if (typeof entry === 'string') return { ok: false, reason: `calls[${index}]: ${entry}` }
    entries.push(entry)
  }
  return { ok: true, entries }
}

/** An entry that cannot be read, as it came. */
export interface Faulty {
  readonly faulty: unknown
}

/** Reads each entry by itself; undefined where there is no list of them. */
export function readItems(
  raw: unknown,
  reader: EnvelopeReader,
): readonly (Entry | Faulty)[] | undefined {
  const list = readList(raw, reader)
  if (typeof list === 'string') return undefined
  return list.map((item) => {
    const entry = readEntry(item, reader)
    return typeof entry === 'string' ? { faulty: item } : entry
  })
}

/** The entries as they came, at least one; or why there are none. */
function readList(raw: unknown, reader: EnvelopeReader): readonly unknown[] | string {
  const value = typeof raw === 'string' ? reader.parse(raw) : raw
  if (!reader.isObject(value)) return 'the arguments are not a JSON object'
  const calls = reader.field(value, 'calls')
  if (calls === undefined || calls === null) {
    // The older shape `{name, arguments}`, without a list.
    return reader.field(value, 'name') === undefined ? '`calls` is missing' : [value]
  }
  const given = typeof calls === 'string' ? reader.parse(calls) : calls
  const list = reader.isObject(given) ? [given] : given
  if (!Array.isArray(list)) return '`calls` is not a list'
  if (isSparse(list)) return `\`calls\` is ${describeSparse(list)}`
  return list.length === 0 ? '`calls` is empty' : (list as readonly unknown[])
}

function readEntry(item: unknown, reader: EnvelopeReader): Entry | string {
  if (!reader.isObject(item)) return 'the entry is not an object'
  const name = reader.field(item, 'name')
  if (typeof name !== 'string' || name.trim() === '') return 'the entry has no name'
  const trimmed = name.trim()
  if (isBridgeName(trimmed))
    return `${trimmed} cannot be called through tool_call; call it directly`
  const args = reader.readArguments(reader.field(item, 'arguments'))
  return args === undefined
    ? 'the arguments are not a JSON object'
    : { name: trimmed, arguments: args }
}
