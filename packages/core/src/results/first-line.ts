import { shortened } from './cut-text.ts'

/** How many lines are looked at; what says nothing for longer is taken as it is. */
const LINES = 20

/** Empty lines, fences, rules, and the frames of a stack. */
const SILENT = /^(?:$|`{3}|~{3}|-{3}|={3}|at \S.*:\d+:\d+\)?$)/

/**
 * What an error text says in one line of at most 400 characters, so that no stack reaches the model. A heading
 * (`### Error`) and a label (`Error:`) stand before the first line that says something; fences and rules are left out.
 * Secrets are to be out of the text before: a part of one is not found.
 */
export function firstLine(text: string): string {
  const lines = text
    .trim()
    .split(/\r?\n/, LINES)
    .map((line) => line.trim())
    .filter((line) => !SILENT.test(line))
  const [first = '', ...others] = lines
  const label = /^#+ +(.+?):?$|^(.+):$/.exec(first)?.slice(1).join('')
  const said = label && others.find((line) => !line.startsWith('#'))
  const line = said ? (said.startsWith(label) ? said : `${label}: ${said}`) : first
  return shortened(line, 400)
}
