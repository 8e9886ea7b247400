import type { AssistantTurn } from '@callgate/spec'

import { isObject, type JsonObject } from '../provider.ts'
import { shapeFault } from '../read/shape-fault.ts'
import type { WireCall } from '../write/align.ts'
import { readBlocks, writeBlocks, type BlockFormat } from './blocks.ts'

/** `{role: 'assistant', content}` as Anthropic messages takes it back: the other fields of an answer are refused. */
export type AnthropicMessage = JsonObject

const format: BlockFormat = {
  carrier: 'anthropic',
  callShape: '{type: "tool_use", id, name, input}',
  namePointer: '/name',
  call: (block) =>
    isObject(block) && block['type'] === 'tool_use'
      ? { id: block['id'], name: block['name'], input: block['input'] }
      : undefined,
  make: (block, call) => ({ ...block, type: 'tool_use', ...call }),
  text: (text) => ({ type: 'text', text }),
}

/**
 * Reads an answer of Anthropic messages (R2.4, R18.1).
 *
 * Takes the response body or the bare message. Gives back the `tool_use` blocks as calls whose arguments are
 * their `input`, and all blocks, in order, as `contentBlocks.anthropic`: the same objects, whatever they are.
 *
 * @throws CallgateError `malformed_call` with a JSON pointer in `where` when the shape does not fit.
 */
export function readAnthropic(message: unknown): AssistantTurn {
  return readBlocks(messageOf(message), '', format)
}

/** Writes the calls of a turn into the message they came from. */
export function writeAnthropic(
  original: unknown,
  turn: AssistantTurn,
  calls: readonly WireCall[],
): AnthropicMessage {
  return writeBlocks(messageOf(original), turn, calls, format)
}

function messageOf(given: unknown): JsonObject {
  if (isObject(given)) return given
  throw shapeFault(
    '',
    given,
    'an assistant message of Anthropic',
    'Hand over the response body, or {role: "assistant", content}. A stream has to be collected first.',
  )
}
