import type { AssistantTurn } from '@callgate/spec'

import { isObject, type JsonObject } from '../provider.ts'
import { shapeFault } from '../read/shape-fault.ts'
import type { WireCall } from '../write/align.ts'
import { readBlocks, writeBlocks, type BlockFormat } from './blocks.ts'

/** `{role: 'assistant', content}` as Bedrock Converse takes it back. */
export type BedrockMessage = JsonObject

const format: BlockFormat = {
  carrier: 'bedrock',
  callShape: '{toolUse: {toolUseId, name, input}}',
  namePointer: '/toolUse/name',
  call: (block) => {
    const use = toolUse(block)
    return use && { id: use['toolUseId'], name: use['name'], input: use['input'] }
  },
  make: (block, { id, name, input }) => ({
    ...block,
    toolUse: { ...toolUse(block), toolUseId: id, name, input },
  }),
  text: (text) => ({ text }),
}

function toolUse(block: unknown): JsonObject | undefined {
  return isObject(block) && isObject(block['toolUse']) ? block['toolUse'] : undefined
}

/**
 * Reads an answer of Bedrock Converse (R2.4, R18.1).
 *
 * Takes the response body or the bare message. Gives back the `toolUse` blocks as calls whose arguments are
 * their `input`, and all blocks, in order, as `contentBlocks.bedrock`: the same objects, whatever they are.
 *
 * @throws CallgateError `malformed_call` with a JSON pointer in `where` when the shape does not fit.
 */
export function readBedrock(message: unknown): AssistantTurn {
  const found = messageOf(message)
  return readBlocks(found.message, found.where, format)
}

/** Writes the calls of a turn into the message they came from. */
export function writeBedrock(
  original: unknown,
  turn: AssistantTurn,
  calls: readonly WireCall[],
): BedrockMessage {
  return writeBlocks(messageOf(original).message, turn, calls, format)
}

function messageOf(given: unknown): { readonly message: JsonObject; readonly where: string } {
  const body = isObject(given) && Object.hasOwn(given, 'output')
  const output = body ? given['output'] : undefined
  const where = body ? '/output/message' : ''
  const message = body ? (isObject(output) ? output['message'] : undefined) : given
  if (isObject(message)) return { message, where }
  throw shapeFault(
    where,
    message,
    'an assistant message of Bedrock Converse',
    'Hand over the response body, or its output.message. A stream has to be collected first.',
  )
}
