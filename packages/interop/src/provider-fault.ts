import { CallgateError } from '@callgate/spec'

/** A provider that this package does not know: code `malformed_call`, rule `provider`. */
export function unknownProvider(provider: unknown): CallgateError {
  return new CallgateError({
    code: 'malformed_call',
    rule: 'provider',
    where: 'provider',
    message: `There is no provider ${JSON.stringify(provider)}.`,
    hint: 'Use openai-chat, openai-responses, anthropic or bedrock.',
  })
}
