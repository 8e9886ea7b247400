import type { AssistantTurn, ToolCallIn } from '@callgate/spec'

import { isObject } from '../provider.ts'
import { shapeFault } from '../read/shape-fault.ts'
import type { WireCall } from '../write/align.ts'
import { argumentsText } from '../write/arguments.ts'
import { weave, type CallFormat } from '../write/weave.ts'

/** The items of one answer, as they go back into the `input` of OpenAI responses. */
export type OpenAiResponsesItems = readonly unknown[]

/**
 * Reads an answer of OpenAI responses (R18.1).
 *
 * Takes the response body or its list of output items. Gives back the function calls: `callId` and `id` are the
 * item's `call_id`, which results carry, `responseItemId` is the item's own id; arguments are the text that
 * came. Every other item (reasoning, messages, calls that OpenAI answers itself) stays in the list.
 *
 * @throws CallgateError `malformed_call` with a JSON pointer in `where` when the shape does not fit.
 */
export function readOpenAiResponses(message: unknown): AssistantTurn {
  const { items, where } = itemsOf(message)
  return { toolCalls: items.flatMap((item, index) => readItem(item, `${where}/${index}`)) }
}

/** Writes the calls of a turn into the items they came from. */
export function writeOpenAiResponses(
  original: unknown,
  calls: readonly WireCall[],
): OpenAiResponsesItems {
  return weave(itemsOf(original).items, calls, format)
}

function itemsOf(given: unknown): { readonly items: readonly unknown[]; readonly where: string } {
  const where = isObject(given) ? '/output' : ''
  const items = isObject(given) ? given['output'] : given
  if (Array.isArray(items)) return { items, where }
  throw shapeFault(
    where,
    items,
    'a list of output items of OpenAI responses',
    'Hand over the response body, or its output. A stream has to be collected first.',
  )
}

function isCall(item: unknown): boolean {
  return isObject(item) && item['type'] === 'function_call'
}

function readItem(item: unknown, where: string): ToolCallIn[] {
  if (!isObject(item) || !isCall(item)) return []
  const { name, id: itemId, call_id: callId } = item
  if (typeof name !== 'string') {
    throw shapeFault(
      `${where}/name`,
      name,
      'the name of a tool',
      'A call is {type: "function_call", call_id, name, arguments}.',
    )
  }
  return [
    {
      id: callId ?? itemId,
      name,
      arguments: item['arguments'],
      ...(typeof callId === 'string' ? { callId } : {}),
      ...(typeof itemId === 'string' ? { responseItemId: itemId } : {}),
    },
  ]
}

const format: CallFormat = {
  slot: (item) =>
    isObject(item) && isCall(item)
      ? { id: item['call_id'] ?? item['id'], itemId: item['id'] }
      : undefined,
  write({ call, id }, item) {
    const was = isObject(item) ? item : {}
    const same =
      was['call_id'] === id && was['name'] === call.name && was['arguments'] === call.arguments
    if (same) return item
    const text = argumentsText(call.arguments)
    return { ...was, type: 'function_call', call_id: id, name: call.name, arguments: text }
  },
}
