import { parseArguments } from '@callgate/coercion'
import type { ToolCallIn } from '@callgate/spec'

import { isConnector, maxEntries, toolCall } from '../bridge/bridge-names.ts'
import { readEnvelope, type Entry } from '../bridge/envelope.ts'
import { lenientReader } from '../bridge/lenient-reader.ts'
import { losslessReader } from '../bridge/lossless-reader.ts'
import { maxName, shortened } from '../results/cut-text.ts'
import { failure, type Failure } from '../results/failure.ts'
import { unreadable } from '../results/unreadable.ts'

/** What a call asks for, out of the bridge if it came through it. */
export type Prepared =
  | {
      readonly kind: 'call'
      readonly name: string
      readonly arguments: unknown
      readonly malformed?: Failure
    }
  | { readonly kind: 'connectors'; readonly entries: readonly Entry[] }

const example = '{"calls":[{"name":"…","arguments":{…}}]}'

/** Takes a `tool_call` with one entry for the call of that entry; every other call stays as it is. */
export function prepare(call: ToolCallIn): Prepared {
  try {
    return prepared(call)
  } catch {
    // Only a foreign object can throw here: a getter, a proxy.
    return bad('', undefined, failure('malformed_call', 'The call cannot be read.'))
  }
}

function prepared(call: ToolCallIn): Prepared {
  if (typeof call !== 'object' || call === null || typeof call.name !== 'string') {
    return bad(
      '',
      undefined,
      failure('malformed_call', 'The call has no name.', { hint: 'Name the tool to call.' }),
    )
  }
  if (call.name !== toolCall) return { kind: 'call', name: call.name, arguments: call.arguments }
  const envelope = readEnvelope(call.arguments ?? '', lenientReader)
  if (!envelope.ok) return misread(call.arguments, envelope.reason)
  const { entries } = envelope
  const [first] = entries
  if (entries.length > maxEntries) {
    return bad(
      toolCall,
      call.arguments,
      failure(
        'too_many_calls',
        `tool_call takes at most ${maxEntries} entries; you sent ${entries.length}.`,
        {
          hint: `Send them in several calls of at most ${maxEntries} entries.`,
        },
      ),
    )
  }
  if (entries.every(({ name }) => isConnector(name))) return { kind: 'connectors', entries }
  if (entries.length === 1) return { kind: 'call', name: first!.name, arguments: first!.arguments }
  // A turn leaves a batch whole where an entry of it cannot be read without a repair.
  const strict = readEnvelope(call.arguments, losslessReader)
  if (!strict.ok) return misread(call.arguments, strict.reason)
  return bad(
    toolCall,
    call.arguments,
    failure(
      'malformed_call',
      `This tool_call holds ${entries.length} entries and was not split before it came here.`,
      {
        hint: `Send one entry each: {"calls":[{"name":${JSON.stringify(shortened(first!.name, maxName))},"arguments":{…}}]}, or run the whole turn.`,
      },
    ),
  )
}

/** The answer to a `tool_call` that cannot be read: where its text ends, or what is wrong in it. */
function misread(args: unknown, reason: string): Prepared {
  const parsed = parseArguments(typeof args === 'string' ? args : '{}')
  const fault =
    parsed.ok || parsed.fault.kind === 'not_object'
      ? { kind: 'entries', message: reason }
      : parsed.fault
  return bad(toolCall, args, unreadable(toolCall, fault, example))
}

function bad(name: string, args: unknown, malformed: Failure): Prepared {
  return { kind: 'call', name, arguments: args, malformed }
}
