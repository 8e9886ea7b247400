import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]

/** Text in a colour, where the terminal takes colours and nobody said NO_COLOR. */
export function paint(format: Format, text: string): string {
  return styleText(format, printable(text), { stream: process.stdout })
}

/** A text that cannot steer the terminal, whoever wrote it: control and direction characters are shown as escapes. */
export function printable(text: string): string {
  return text.replaceAll(steering, escaped)
}

// What JSON leaves as it is, too; tabs and line ends stay.
const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

function escaped(character: string): string {
  return `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`
}

/** A heading with a number, and an empty line before it. */
export function heading(number: number, title: string): string {
  return `\n${paint(['bold', 'cyan'], `${number}. ${title}`)}`
}

/** Columns padded to the widest cell of each; a cell may hold colours. */
export function columns(rows: readonly (readonly string[])[], indent = '   '): readonly string[] {
  const safe = rows.map((row) => row.map(withoutSteering))
  const widths: number[] = []
  for (const row of safe) {
    for (const [index, cell] of row.entries())
      widths[index] = Math.max(widths[index] ?? 0, widthOf(cell))
  }
  return safe.map((row) =>
    `${indent}${row.map((cell, index) => cell + ' '.repeat(widths[index]! - widthOf(cell))).join('  ')}`.trimEnd(),
  )
}

const colour = /(\u001b\[[\d;]*m)/

// What is painted in a cell is printable already; its colours stay.
function withoutSteering(cell: string): string {
  return cell
    .split(colour)
    .map((part) => (colour.test(part) ? part : printable(part.replaceAll(/\s/g, ' '))))
    .join('')
}

// The escape sequences of colours take no room.
function widthOf(text: string): number {
  return text
    .split(colour)
    .reduce((width, part) => width + (colour.test(part) ? 0 : part.length), 0)
}

/** One line of at most `length` characters. */
export function oneLine(text: string, length = 96): string {
  const line = printable(text.replaceAll(/\s+/g, ' ').trim())
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}

export function json(value: unknown): string {
  return printable(JSON.stringify(value) ?? 'undefined')
}

/** JSON on several lines, indented as the sections are. */
export function jsonLines(value: unknown): readonly string[] {
  return printable(JSON.stringify(value, undefined, 2))
    .split('\n')
    .map((line) => `   ${line}`)
}
