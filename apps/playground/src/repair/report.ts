import { columns, heading, json, jsonLines, oneLine, paint } from '../report/layout.ts'
import type { Repaired } from './repair.ts'

type Unread = Extract<Repaired['text'], { readonly read: false }>

type Section = (repaired: Repaired, number: number) => readonly string[]

/** The way of the arguments, step by step, for a person. */
export function describeRepaired(repaired: Repaired): string {
  const sections: readonly Section[] = [shown, text, repairs, errors, result]
  const lines = sections.flatMap((section, index) => section(repaired, index + 1))
  return lines.join('\n').trimStart()
}

function shown({ provider, shown: sanitized, notes }: Repaired, number: number): readonly string[] {
  const { schema, lossy, strict } = sanitized
  const meaning =
    lossy.length === 0 ? 'no meaning is lost' : `places that lost meaning: ${lossy.length}`
  const title = `What the model sees (${provider}): ${meaning}${strict ? ', strict mode takes it' : ''}`
  return [
    heading(number, title),
    ...jsonLines(schema),
    ...columns([
      ...lossy.map((what) => [paint('yellow', 'lost'), what]),
      ...notes.map(({ path, message }) => [paint('yellow', 'not checked'), `${path}: ${message}`]),
    ]),
  ]
}

const readings: { readonly [rule: string]: string } = {
  strict: 'as JSON',
  fence: 'as JSON in a code fence',
  relaxed: 'as what is nearly JSON',
  empty: 'as no arguments',
  'encoded-twice': 'as JSON that was encoded again',
}

function text({ text: read }: Repaired, number: number): readonly string[] {
  if (read.read) return [heading(number, `The text is read ${readings[read.rule] ?? read.rule}`)]
  return [heading(number, paint('red', `The text is not read: ${faultOf(read)}`))]
}

function faultOf({ fault: { kind, message } }: Unread): string {
  return `${kind} (${message})`
}

function repairs({ repairs: list }: Repaired, number: number): readonly string[] {
  const rows = list.map(({ path, from, to, rule }) => [
    path === '' ? '(all)' : path,
    `${paint('red', oneLine(json(from), 32))} → ${paint('green', oneLine(json(to), 32))}`,
    paint('dim', rule),
  ])
  return [heading(number, `Repairs: ${rows.length}`), ...columns(rows)]
}

function errors({ text: read, errors: list }: Repaired, number: number): readonly string[] {
  const ofText = read.read ? [] : [['(all)', `got text that is ${faultOf(read)}, expected JSON`]]
  const ofFields = list.map(({ path, constraint, got, expected, suggestion }) => [
    path === '' ? '(all)' : path,
    `got ${oneLine(got)}, expected ${oneLine(expected)}`,
    // What is expected names a field that is missing.
    suggestion === undefined || constraint === 'required' ? '' : `did you mean ${suggestion}?`,
  ])
  const rows = [...ofText, ...ofFields]
  return [heading(number, `Errors: ${rows.length}`), ...columns(rows)]
}

function result({ text: read, valid, value }: Repaired, number: number): readonly string[] {
  const verdict = valid ? paint('green', 'it fits the schema') : paint('red', 'it does not fit')
  if (!read.read) return [heading(number, `Result: ${paint('red', 'none')}`)]
  return [heading(number, `Result: ${verdict}`), ...jsonLines(value)]
}
