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
  const value = typeof raw === 'string' ? reader.parse(raw) : raw
  if (!reader.isObject(value)) return refuse('the arguments are not a JSON object')
  const calls = reader.field(value, 'calls')
  if (calls === undefined || calls === null) return readFlat(value, reader)
  const list = typeof calls === 'string' ? reader.parse(calls) : calls
  const entries = reader.isObject(list) ? [list] : list
  if (!Array.isArray(entries)) return refuse('`calls` is not a list')
  if (entries.length === 0) return refuse('`calls` is empty')
  return readEntries(entries, reader)
}

/** The older shape `{name, arguments}`, without a list. */
function readFlat(value: object, reader: EnvelopeReader): Envelope {
  if (reader.field(value, 'name') === undefined) return refuse('`calls` is missing')
  return readEntries([value], reader)
}

function readEntries(list: readonly unknown[], reader: EnvelopeReader): Envelope {
  if (isSparse(list)) return refuse(`\`calls\` is ${describeSparse(list)}`)
  const entries: Entry[] = []
  for (const [index, item] of list.entries()) {
    const entry = readEntry(item, reader)
    if (typeof entry === 'string') return refuse(`calls[${index}]: ${entry}`)
    entries.push(entry)
  }
  return { ok: true, entries }
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

function refuse(reason: string): Envelope {
  return { ok: false, reason }
}
