import { failure, type Failure } from './failure.ts'

export interface Unreadable {
  readonly kind: string
  readonly message: string
  /** In UTF-16 units from 0. */
  readonly position?: number
}

const words: { readonly [kind: string]: string } = {
  truncated: 'the text ends too early',
  not_json: 'the text is no JSON',
  not_object: 'the text is no JSON object',
  too_deep: 'the text is nested too deeply',
  too_large: 'the text is too long',
}

/** The answer to text or values that are no arguments; `what` they were meant for. */
export function unreadable(
  what: string,
  { kind, message, position }: Unreadable,
  example = 'one JSON object',
): Failure {
  const place = position === undefined ? '' : ` at character ${position}`
  return failure('malformed_call', `${what} cannot be read: ${words[kind] ?? message}${place}.`, {
    rule: kind,
    hint:
      kind === 'truncated'
        ? 'Send the whole call again, with shorter arguments if they were cut off.'
        : `Send the arguments as ${example}.`,
  })
}
