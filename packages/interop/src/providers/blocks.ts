import type { AssistantTurn, ToolCallIn } from '@callgate/spec'

import { isObject, type JsonObject } from '../provider.ts'
import { shapeFault } from '../read/shape-fault.ts'
import type { Slot, WireCall } from '../write/align.ts'
import { argumentsObject, sayTheSame } from '../write/arguments.ts'
import { weave } from '../write/weave.ts'

/** What tells the two providers apart whose messages are `{role, content}` with ordered blocks. */
export interface BlockFormat {
  readonly carrier: 'anthropic' | 'bedrock'
  /** What the block of a call is, for messages. */
  readonly callShape: string
  /** The call in a block; undefined for every other block. */
  call(
    block: unknown,
  ): { readonly id: unknown; readonly name: unknown; readonly input: unknown } | undefined
  /** Where in a block the name of the tool stands. */
  readonly namePointer: string
  /** The block for a call, made from the block it replaces, if any. */
  make(block: JsonObject, call: { id: string; name: string; input: unknown }): JsonObject
  text(text: string): JsonObject
}

/** Reads the ordered blocks of a message; the blocks ride along as the same list of the same objects (R2.4). */
export function readBlocks(message: JsonObject, where: string, format: BlockFormat): AssistantTurn {
  const content = message['content']
  if (typeof content === 'string') return { toolCalls: [] }
  if (!Array.isArray(content)) {
    throw shapeFault(
      `${where}/content`,
      content,
      'a list of content blocks',
      `The block of a call is ${format.callShape}.`,
    )
  }
  return {
    toolCalls: content.flatMap((block, index) =>
      readBlock(block, `${where}/content/${index}`, format),
    ),
    contentBlocks: { [format.carrier]: content as readonly unknown[] },
  }
}

function readBlock(block: unknown, where: string, format: BlockFormat): ToolCallIn[] {
  const call = format.call(block)
  if (call === undefined) return []
  const { id, name, input } = call
  if (typeof name === 'string') return [{ id, name, arguments: input }]
  throw shapeFault(
    `${where}${format.namePointer}`,
    name,
    'the name of a tool',
    `The block of a call is ${format.callShape}.`,
  )
}

/** Writes the calls of a turn into its blocks, or into those of the original message where the turn has none. */
export function writeBlocks(
  message: JsonObject,
  turn: AssistantTurn,
  calls: readonly WireCall[],
  format: BlockFormat,
): JsonObject {
  const content = contentOf(message['content'], turn.contentBlocks?.[format.carrier], calls, format)
  const bare = Object.keys(message).every((key) => key === 'role' || key === 'content')
  return bare && message['content'] === content ? message : { role: 'assistant', content }
}

function contentOf(
  content: unknown,
  carried: unknown,
  calls: readonly WireCall[],
  format: BlockFormat,
): unknown {
  const trusted = Array.isArray(carried)
  if (!trusted && typeof content === 'string' && calls.length === 0) return content
  return weave(trusted ? carried : blocksOf(content, format), calls, {
    slot: (block): Slot | undefined => format.call(block),
    write: (wire, block) => writeBlock(wire, block, trusted, format),
  })
}

function blocksOf(content: unknown, format: BlockFormat): readonly unknown[] {
  if (Array.isArray(content)) return content
  return typeof content === 'string' && content !== '' ? [format.text(content)] : []
}

/** Blocks that the turn carries were rewritten by expansion and are right but for the provider's form of the id. */
function writeBlock(
  { call, id }: WireCall,
  block: unknown,
  carried: boolean,
  format: BlockFormat,
): unknown {
  const was = format.call(block)
  if (was === undefined || !isObject(block)) {
    return format.make({}, { id, name: call.name, input: argumentsObject(call.arguments) })
  }
  const keep = (carried && isObject(was.input)) || sayTheSame(was.input, call.arguments)
  if (keep && was.id === id) return block
  const input = keep ? was.input : argumentsObject(call.arguments)
  return format.make(block, {
    id,
    name: typeof was.name === 'string' ? was.name : call.name,
    input,
  })
}
