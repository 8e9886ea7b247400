import { CallgateError, ToolError } from '@callgate/spec'

import { printable } from './layout.ts'

/** Exit codes: 1 something is not as it should be, 2 usage, 3 configuration, 4 turn file or arguments, 8 a backend is not there. */
const exitCodes: { readonly [code: string]: number } = {
  malformed_call: 4,
  invalid_arguments: 3,
  guard_refused: 3,
  backend_unavailable: 8,
}

/** One clear line for an error, with its code and what to do; never a stack. */
export function errorLine(error: unknown): { readonly line: string; readonly exitCode: number } {
  if (CallgateError.isInstance(error)) {
    const where = error.where === undefined || error.where === '' ? '' : ` (${error.where})`
    const hint = error.hint === undefined ? '' : ` ${error.hint}`
    return {
      line: `${error.code}: ${singleLine(`${error.message}${where}${hint}`)}`,
      exitCode: exitCodes[error.code] ?? 1,
    }
  }
  if (ToolError.isInstance(error)) {
    return {
      line: `${error.code}: ${singleLine(error.message)}`,
      exitCode: exitCodes[error.code] ?? 1,
    }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { line: `internal: ${singleLine(message)}`, exitCode: 1 }
}

/** A text with one full stop at its end, unless it asks. */
export function sentence(text: string): string {
  return text.endsWith('?') ? text : `${text.replace(/[\s.]+$/, '')}.`
}

/** A message of several lines as one that cannot steer the terminal. */
export function singleLine(text: string): string {
  return printable(text.replaceAll(/\s*\n\s*/g, ' ').trim())
}
