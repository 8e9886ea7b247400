import type { AssistantTurn, ToolCallIn } from '@callgate/spec'

import { isObject, type JsonObject } from '../provider.ts'
import { shapeFault } from '../read/shape-fault.ts'
import type { WireCall } from '../write/align.ts'
import { argumentsText } from '../write/arguments.ts'
import { weave, type CallFormat } from '../write/weave.ts'

/** An assistant message as OpenAI chat takes it back. */
export type OpenAiChatMessage = JsonObject

/**
 * Reads an answer of OpenAI chat completions, or of any server that speaks it (R18.1).
 *
 * Takes the response body (its first choice counts) or the bare message. Gives back the function calls with
 * their arguments as the text that came; calls of other types (`custom`) are not ours and stay in the message.
 *
 * @throws CallgateError `malformed_call` with a JSON pointer in `where` when the shape does not fit.
 */
export function readOpenAiChat(message: unknown): AssistantTurn {
  const found = messageOf(message)
  const calls = callsOf(found.message, found.where)
  return {
    toolCalls: calls.flatMap((item, index) => readCall(item, `${found.where}/tool_calls/${index}`)),
  }
}

/** Writes the calls of a turn into the message they came from. */
export function writeOpenAiChat(original: unknown, calls: readonly WireCall[]): OpenAiChatMessage {
  const { message, where } = messageOf(original)
  const before = callsOf(message, where)
  const after = weave(before, calls, format)
  if (after.length > 0) return after === before ? message : { ...message, tool_calls: after }
  if (!Object.hasOwn(message, 'tool_calls')) return message
  // The provider refuses a list without calls.
  const { tool_calls: _none, ...rest } = message
  return rest
}

function messageOf(given: unknown): { readonly message: JsonObject; readonly where: string } {
  const body = isObject(given) && Object.hasOwn(given, 'choices')
  const where = body ? '/choices/0/message' : ''
  const message = body ? firstChoice(given['choices']) : given
  if (!isObject(message)) {
    throw shapeFault(
      where,
      message,
      'an assistant message of OpenAI chat',
      'Hand over the response body, or its choices[0].message. A stream has to be collected first.',
    )
  }
  if (isObject(message['function_call'])) {
    throw shapeFault(
      `${where}/function_call`,
      message['function_call'],
      'tool_calls',
      'Declare the tools in `tools`, not in `functions`: a call without an id cannot be paired with its result.',
    )
  }
  return { message, where }
}

function firstChoice(choices: unknown): unknown {
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined
  return isObject(first) ? first['message'] : undefined
}

function callsOf(message: JsonObject, where: string): readonly unknown[] {
  const calls = message['tool_calls'] ?? []
  if (Array.isArray(calls)) return calls
  throw shapeFault(
    `${where}/tool_calls`,
    calls,
    'a list of calls',
    'Each call is {id, type: "function", function: {name, arguments}}.',
  )
}

function readCall(item: unknown, where: string): ToolCallIn[] {
  if (isForeign(item)) return []
  const named = isObject(item) ? item['function'] : undefined
  if (!isObject(item) || !isObject(named)) {
    throw shapeFault(where, item, 'a call with "function"', callHint)
  }
  const name = named['name']
  if (typeof name !== 'string') {
    throw shapeFault(`${where}/function/name`, name, 'the name of a tool', callHint)
  }
  return [{ id: item['id'], name, arguments: named['arguments'] }]
}

const callHint = 'A call is {id, type: "function", function: {name, arguments}}.'

/** A call of another type, such as `custom`, which the declarations of its own party answer. */
function isForeign(item: unknown): boolean {
  return isObject(item) && typeof item['type'] === 'string' && item['type'] !== 'function'
}

const format: CallFormat = {
  slot: (item) => (isObject(item) && !isForeign(item) ? { id: item['id'] } : undefined),
  write({ call, id }, item) {
    const was = isObject(item) ? item : {}
    const named = isObject(was['function']) ? was['function'] : {}
    const same =
      was['id'] === id && named['name'] === call.name && named['arguments'] === call.arguments
    if (same) return item
    const text = argumentsText(call.arguments)
    return {
      ...was,
      id,
      type: 'function',
      function: { ...named, name: call.name, arguments: text },
    }
  },
}
