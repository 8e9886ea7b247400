import { InvalidToolError } from '@callgate/spec'

/** A fault of a backend block; the caller adds which tool it is. */
export function blockFault(rule: string, message: string, hint: string): InvalidToolError {
  return new InvalidToolError({ rule, message, hint })
}
