import type { AssistantTurn } from '@callgate/spec'

import { isObject, type JsonObject, type Provider } from '../provider.ts'
import { readAnthropic } from '../providers/anthropic.ts'
import { readBedrock } from '../providers/bedrock.ts'
import { readOpenAiChat } from '../providers/openai-chat.ts'
import { readOpenAiResponses } from '../providers/openai-responses.ts'
import { shapeFault } from './shape-fault.ts'

const readers: { readonly [P in Provider]: (message: unknown) => AssistantTurn } = {
  'openai-chat': readOpenAiChat,
  'openai-responses': readOpenAiResponses,
  anthropic: readAnthropic,
  bedrock: readBedrock,
}

/**
 * Reads one recorded assistant message of any of the four formats, recognised by its shape (R2.4, R18.1).
 *
 * Takes a response body (`choices`, `output: [...]`, `output.message`, `content: [...]`) or the bare message; for
 * OpenAI responses the list of output items. Gives back which provider's it is and the turn: arguments text of
 * OpenAI as it came, the ordered blocks of Anthropic and Bedrock as the same objects. A message that is mere text
 * reads as OpenAI chat; it has no calls in any format.
 *
 * @throws CallgateError `malformed_call`, rule `message-shape`, when no format fits or a call in it has no name;
 * `where` is a JSON pointer, the text says what was found and what fits.
 */
export function readTurn(message: unknown): {
  readonly provider: Provider
  readonly turn: AssistantTurn
} {
  const provider = recognise(message)
  if (provider === undefined) throw unknownShape(message)
  return { provider, turn: readers[provider](message) }
}

function recognise(message: unknown): Provider | undefined {
  if (Array.isArray(message)) return message.some(isOutputItem) ? 'openai-responses' : undefined
  if (!isObject(message)) return undefined
  if (Object.hasOwn(message, 'choices')) return 'openai-chat'
  if (Array.isArray(message['output'])) return 'openai-responses'
  if (isObject(message['output']) && Object.hasOwn(message['output'], 'message')) return 'bedrock'
  const role = message['role'] ?? 'assistant'
  return role === 'assistant' ? recogniseBare(message) : undefined
}

function recogniseBare(message: JsonObject): Provider | undefined {
  const content = message['content']
  const ofChat = Object.hasOwn(message, 'tool_calls') || Object.hasOwn(message, 'function_call')
  if (ofChat) return 'openai-chat'
  if (Array.isArray(content)) return recogniseBlocks(content)
  const isText = typeof content === 'string' || (content ?? null) === null
  return isText && message['role'] === 'assistant' ? 'openai-chat' : undefined
}

function recogniseBlocks(content: readonly unknown[]): Provider | undefined {
  if (content.some(isBedrockBlock)) return 'bedrock'
  return content.every(canBeAnthropic) ? 'anthropic' : undefined
}

/** The members that a block of Bedrock Converse can have; a block has no `type`. */
const bedrockMembers = [
  'text',
  'toolUse',
  'reasoningContent',
  'citationsContent',
  'cachePoint',
  'guardContent',
  'image',
  'document',
  'video',
  'audio',
  'searchResult',
  'toolResult',
]

function isBedrockBlock(block: unknown): boolean {
  return (
    isObject(block) &&
    typeof block['type'] !== 'string' &&
    bedrockMembers.some((member) => Object.hasOwn(block, member))
  )
}

/** Blocks that are no objects ride along like every block that nobody knows. `output_text` is of OpenAI responses. */
function canBeAnthropic(block: unknown): boolean {
  if (!isObject(block)) return true
  return typeof block['type'] === 'string' && block['type'] !== 'output_text'
}

/** The items of OpenAI responses that only an answer has; blocks of other providers are never among them. */
function isOutputItem(item: unknown): boolean {
  if (!isObject(item) || typeof item['type'] !== 'string') return false
  const { type } = item
  return type === 'message' || type === 'reasoning' || type.endsWith('_call')
}

function unknownShape(message: unknown): Error {
  return shapeFault(
    '',
    message,
    'an assistant message of OpenAI chat ("choices", or role "assistant" with "tool_calls"), OpenAI responses ' +
      '("output", or its items), Anthropic (role "assistant" with a list "content") or Bedrock ("output.message")',
    hintFor(message),
  )
}

function hintFor(message: unknown): string {
  if (typeof message === 'string') return 'Parse the text as JSON first.'
  if (isObject(message)) {
    if (typeof message['role'] === 'string') return `Its role is "${message['role'].slice(0, 40)}".`
    if (Object.hasOwn(message, 'error'))
      return 'It is an answer that reports a fault, not a message.'
  }
  return 'Hand over one whole answer; a stream has to be collected first.'
}
