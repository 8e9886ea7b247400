import type { AssistantTurn, ToolCallIn } from '@callgate/spec'

import { effectiveIdOf } from '../ids/effective-id.ts'
import { hash64 } from '../ids/hash.ts'
import type { IdMap } from '../ids/id-map.ts'
import type { Provider } from '../provider.ts'
import { writeAnthropic, type AnthropicMessage } from '../providers/anthropic.ts'
import { writeBedrock, type BedrockMessage } from '../providers/bedrock.ts'
import { writeOpenAiChat, type OpenAiChatMessage } from '../providers/openai-chat.ts'
import { writeOpenAiResponses, type OpenAiResponsesItems } from '../providers/openai-responses.ts'
import type { WireCall } from './align.ts'
import { argumentsText } from './arguments.ts'
import { checkProvider, checkTurn, idsOf } from './given.ts'

/** What {@link writeTurn} gives back for each provider. */
export interface WrittenTurns {
  readonly 'openai-chat': OpenAiChatMessage
  readonly 'openai-responses': OpenAiResponsesItems
  readonly anthropic: AnthropicMessage
  readonly bedrock: BedrockMessage
}

export interface WriteOptions {
  /** The id map of the conversation; default: a new one in the provider's form. */
  readonly ids?: IdMap
}

type Writer<P extends Provider> = (
  original: unknown,
  turn: AssistantTurn,
  calls: readonly WireCall[],
) => WrittenTurns[P]

const writers: { readonly [P in Provider]: Writer<P> } = {
  'openai-chat': (original, _turn, calls) => writeOpenAiChat(original, calls),
  'openai-responses': (original, _turn, calls) => writeOpenAiResponses(original, calls),
  anthropic: writeAnthropic,
  bedrock: writeBedrock,
}

/**
 * Writes a turn as the assistant message that is stored and sent back to the provider (R2.1, R2.4): the inverse of
 * `readTurn`.
 *
 * Takes the turn after expansion, the provider, and the message it was read from (body or bare). Gives back the
 * message of OpenAI chat, the output items of OpenAI responses, or `{role, content}` of Anthropic and Bedrock.
 * Every call of the turn has exactly one entry, under the id that its result carries, in the form the provider
 * wants. Everything else (thinking, redacted and signed blocks, reasoning items, text, calls that others answer)
 * is the same object in the same order; nothing of the input is changed, and a message in which nothing changes
 * comes back as the same object. A call without an entry gets one; the entry of a call that is not in the turn is
 * left out, since nothing would answer it. A call with a blank id gets one made from its name, arguments and
 * place; `runTurn` leaves none blank.
 *
 * @throws CallgateError `malformed_call` when `provider` is not known, `original` is not a message of it or `turn` is
 * no turn; InvalidOptionsError when `ids` is no id map.
 */
export function writeTurn<P extends Provider>(
  turn: AssistantTurn,
  provider: P,
  original: unknown,
  options: WriteOptions = {},
): WrittenTurns[P] {
  checkProvider(writers, provider)
  checkTurn(turn)
  const ids = idsOf(options, provider)
  const calls = turn.toolCalls.map((call, index) => ({ call, id: wireId(call, index, ids) }))
  return writers[provider](original, turn, calls)
}

function wireId(call: ToolCallIn, index: number, ids: IdMap): string {
  const id = effectiveIdOf(call)
  return ids.toProvider(id === '' ? madeId(call, index) : id)
}

function madeId(call: ToolCallIn, index: number): string {
  const seed = [call.name, argumentsText(call.arguments), index].join('\n')
  return `call_${hash64(seed).toString(16).padStart(16, '0').slice(0, 12)}`
}
