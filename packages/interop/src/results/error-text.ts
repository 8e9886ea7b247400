import type { FieldFault, ToolResult } from '@callgate/spec'

const labels: { readonly [S in Exclude<ToolResult['status'], 'ok'>]: string } = {
  error: 'Error',
  denied: 'Refused',
  cancelled: 'Cancelled',
  pending: 'Not run yet',
}

/**
 * What a model reads of a result that is not ok (R10.2): the message, each field with what came and what fits, and
 * what to do instead. Never a stack. Lines that the content of the result already has are not said twice.
 */
export function errorText(result: ToolResult, said: string): string {
  if (result.status === 'ok') return ''
  const { error } = result
  const label = labels[result.status]
  if (error === undefined) return `${label}.`
  const message = withoutStack(error.message)
  const lines = (error.fields ?? []).map(fieldLine)
  if (error.hint !== undefined) lines.push(`Hint: ${error.hint}`)
  const head = `${label} (${error.code})${message === '' || holds(said, message) ? '.' : `: ${message}`}`
  return [head, ...lines.filter((line) => !holds(said, line))].join('\n')
}

/** Whether a text has these whole lines. */
function holds(said: string, lines: string): boolean {
  return `\n${said}\n`.includes(`\n${lines}\n`)
}

function fieldLine({ path, constraint, got, expected, suggestion }: FieldFault): string {
  const place = path === '' ? 'arguments' : path
  const line = `- ${place}: got ${got}; expected ${expected}.`
  // What is expected names a field that is missing.
  return suggestion === undefined || constraint === 'required'
    ? line
    : `${line} Suggestion: ${suggestion}`
}

/** A frame ends with its place; a line of text that begins with "at" does not. */
const frames =
  /\n[^\S\n]+at [^\n]*(?::\d+:\d+\)?|\((?:<anonymous>|native|index \d+)\))[^\S\n]*(?=\n|$)/g

/** A message that was made from a thrown error may drag its stack along. */
function withoutStack(message: string): string {
  return message.replace(frames, '').trim()
}
