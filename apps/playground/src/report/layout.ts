import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]

/** Text in a colour, where the terminal takes colours and nobody said NO_COLOR. */
export function paint(format: Format, text: string): string {
  return styleText(format, text, { stream: process.stdout })
}

/** A heading with a number, and an empty line before it. */
export function heading(number: number, title: string): string {
  return `\n${paint(['bold', 'cyan'], `${number}. ${title}`)}`
}

/** Columns padded to the widest cell of each; a cell may hold colours. */
export function columns(rows: readonly (readonly string[])[], indent = '   '): readonly string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [index, cell] of row.entries())
      widths[index] = Math.max(widths[index] ?? 0, widthOf(cell))
  }
  return rows.map((row) =>
    `${indent}${row.map((cell, index) => cell + ' '.repeat(widths[index]! - widthOf(cell))).join('  ')}`.trimEnd(),
  )
}

// The escape sequences of colours take no room.
function widthOf(text: string): number {
  return text.replaceAll(/\u001b\[[\d;]*m/g, '').length
}

/** One line of at most `length` characters. */
export function oneLine(text: string, length = 96): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}

export function json(value: unknown): string {
  return JSON.stringify(value) ?? 'undefined'
}
