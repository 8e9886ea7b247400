import { ToolError } from '@callgate/spec'

/** An argument that a body of this kind cannot be written from. */
export function unfit(parameter: string, expected: string): ToolError {
  return new ToolError({
    code: 'invalid_arguments',
    parameter,
    started: 'no',
    message: `"${parameter}" has to be ${expected}.`,
  })
}
