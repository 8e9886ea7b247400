import { spend } from '../effort.ts'
import { LAYERS, TEXT_EFFORT } from '../limits.ts'
import type { PlanNode } from '../plan/model.ts'
import { ARRAY, FRACTION, INTEGER, OBJECT, STRING } from '../plan/types.ts'
import { readJsonText } from '../text/read-json-text.ts'
import { trimSpace } from '../text/trim.ts'
import { numberOf } from './number-text.ts'
import { accepts, type Walk } from './walk.ts'

export interface Reading {
  readonly value: unknown
  readonly rule: string
}

/** The only reading of a value that the schema accepts, where it does not accept the value (policy rule 3). */
export function readingOf(walk: Walk, node: PlanNode, value: unknown): Reading | undefined {
  if (typeof value === 'string') return readText(walk, node, value, LAYERS)
  if (!(node.mask & STRING)) return undefined
  // A safe integer or a boolean has one spelling as text; a fraction (1.10 or 1.1) has not.
  const spelled =
    typeof value === 'boolean' ||
    typeof value === 'bigint' ||
    (Number.isSafeInteger(value) && !Object.is(value, -0))
  return spelled ? accepted(node, 'scalar-to-text', String(value)) : undefined
}

function accepted(node: PlanNode, rule: string, value: unknown): Reading | undefined {
  return accepts(node, value) ? { value, rule } : undefined
}

/** A text reads as a number, as a word or as JSON, never as two of them; only quotes can make two readings. */
function readText(walk: Walk, node: PlanNode, text: string, layers: number): Reading | undefined {
  const trimmed = trimSpace(text)
  if (node.mask & (INTEGER | FRACTION)) {
    const number = numberOf(trimmed, node.mask)
    if (number !== undefined) return accepted(node, 'text-to-number', number)
  }
  if (!/^(?:true|false|null)$/i.test(trimmed)) return readJson(walk, node, text, layers)
  const word = JSON.parse(trimmed.toLowerCase()) as boolean | null
  return accepted(node, word === null ? 'text-to-null' : 'text-to-boolean', word)
}

function readJson(walk: Walk, node: PlanNode, text: string, layers: number): Reading | undefined {
  const nested = node.mask & (ARRAY | OBJECT)
  if (!(nested ? looksLikeJson(text) : trimSpace(text).startsWith('"'))) return undefined
  const read = readJsonText(text, walk)
  // Each branch of a union reads it anew.
  spend(text.length * (read.ok && read.rule === 'strict' ? 1 : TEXT_EFFORT))
  if (!read.ok) return undefined
  if (typeof read.value !== 'string') return accepted(node, 'parse-json', read.value)
  if (layers <= 1) return undefined
  const inner = readText(walk, node, read.value, layers - 1)
  const plain = accepted(node, 'unquote', read.value)
  return inner && plain ? undefined : (inner ?? plain)
}

/** Text that begins like JSON is never wrapped into a list as it is: it may be a list that was cut off. */
export function looksLikeJson(text: string): boolean {
  return /^\s*(?:[[{"]|```)/.test(text)
}
