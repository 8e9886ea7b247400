import type { ToolResult } from '@callgate/spec'

import type { Provider } from '../provider.ts'
import { checkProvider, idsOf } from '../write/given.ts'
import type { WriteOptions } from '../write/turn.ts'
import { anthropicResult } from './anthropic.ts'
import { bedrockResult } from './bedrock.ts'
import { checkResults } from './given.ts'
import { openAiChatResult } from './openai-chat.ts'
import { openAiResponsesResult } from './openai-responses.ts'
import { modelParts, type ModelPart } from './parts.ts'

interface ResultFormat {
  one(id: string, parts: readonly ModelPart[], failed: boolean): unknown
  /** Whether all results of a turn go into one user message. */
  readonly together: boolean
}

const formats: { readonly [P in Provider]: ResultFormat } = {
  'openai-chat': { one: openAiChatResult, together: false },
  'openai-responses': { one: openAiResponsesResult, together: false },
  anthropic: { one: anthropicResult, together: true },
  bedrock: { one: bedrockResult, together: true },
}

/**
 * Writes the results of a turn as the messages that go back to the provider (R11.3): one `role: tool` message a
 * call for OpenAI chat, one `function_call_output` item a call for OpenAI responses, one user message with all
 * `tool_result` or `toolResult` blocks for Anthropic and Bedrock. In the order of the results; none for none.
 *
 * The model reads the content of a result; without content its data, as JSON text. A result that is not ok says so
 * in text first (message, faulty fields, hint; never a stack), and by flag where the provider has one. Media that
 * the provider does not take in a result is replaced by a note of its type and size in bytes, and a part of the content
 * that is none by a note of that.
 *
 * @throws CallgateError `malformed_call` when `provider` is not known or something in the list is no result;
 * InvalidOptionsError when `ids` is no id map.
 */
export function writeResults(
  results: readonly ToolResult[],
  provider: Provider,
  options: WriteOptions = {},
): unknown[] {
  checkProvider(formats, provider)
  checkResults(results)
  const format = formats[provider]
  const ids = idsOf(options, provider)
  const written = results.map((result) =>
    format.one(ids.toProvider(result.callId), modelParts(result), result.status !== 'ok'),
  )
  if (!format.together || written.length === 0) return written
  return [{ role: 'user', content: written }]
}
