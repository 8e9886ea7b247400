import { CallgateError } from '@callgate/spec'

import { describe } from './read/shape-fault.ts'

/** A provider that this package does not know: code `malformed_call`, rule `provider`. */
export function unknownProvider(provider: unknown): CallgateError {
  return new CallgateError({
    code: 'malformed_call',
    rule: 'provider',
    where: 'provider',
    message: `There is no provider ${named(provider)}.`,
    hint: 'Use openai-chat, openai-responses, anthropic or bedrock.',
  })
}

/** A name that is not known, in a message. */
export function named(name: unknown): string {
  return typeof name === 'string' ? JSON.stringify(name.slice(0, 40)) : `that is ${describe(name)}`
}
