import type { PlanNode } from '../plan/model.ts'
import { ARRAY, FRACTION, INTEGER, OBJECT } from '../plan/types.ts'
import { readJsonText } from '../text/read-json-text.ts'
import { trimSpace } from '../text/trim.ts'
import { numberOf } from './scalars.ts'
import { accepts, sameJson, type Walk, NOTHING, takeReading } from './walk.ts'

interface Reading {
  readonly value: unknown
  readonly rule: string
}

const words = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
])

/** How many layers of quotes around JSON text are taken off. */
const LAYERS = 3

/** What a text says in a place that does not take text: taken if exactly one reading is accepted (policy rule 3). */
export function readText(walk: Walk, node: PlanNode, text: string): unknown {
  const found: Reading[] = []
  collectReadings(walk, node, text, LAYERS, found)
  const [reading] = found
  if (reading === undefined || found.length > 1) return NOTHING
  return takeReading(walk, node, text, reading)
}

function collectReadings(
  walk: Walk,
  node: PlanNode,
  text: string,
  layers: number,
  found: Reading[],
): void {
  const trimmed = trimSpace(text)
  if (trimmed === '') return
  const add = (value: unknown, rule: string): void => {
    if (!accepts(walk, node, value)) return
    if (!found.some((other) => sameJson(other.value, value))) found.push({ value, rule })
  }
  if ((node.mask & (INTEGER | FRACTION)) !== 0) {
    const number = numberOf(trimmed, node.mask)
    if (number !== undefined) add(number, 'to-number')
  }
  const word = trimmed.length < 6 ? words.get(trimmed.toLowerCase()) : undefined
  if (word !== undefined) add(word, word === null ? 'to-null' : 'to-boolean')
  const structure = (node.mask & (ARRAY | OBJECT)) !== 0 && looksLikeJson(trimmed)
  if (!structure && !trimmed.startsWith('"')) return
  const read = readJsonText(text, { bytes: walk.bytes, depth: walk.depth })
  if (!read.ok) return
  if (typeof read.value === 'object' && read.value !== null) add(read.value, 'parse-json')
  else if (typeof read.value === 'string' && layers > 1) {
    add(read.value, 'unquote')
    collectReadings(walk, node, read.value, layers - 1, found)
  }
}

/** Text that begins like JSON is never wrapped into a list as it is: it may be a list that was cut off. */
export function looksLikeJson(text: string): boolean {
  return /^\s*(?:[[{"]|```)/.test(text)
}
