import { stringifyLossless } from '@callgate/coercion'
import type { AssistantTurn, ToolCallIn } from '@callgate/spec'

import { copyJson } from '../results/copy-json.ts'
import { rewriteBlocks, type Outcome } from './blocks.ts'
import { isConnector, maxEntries, toolCall } from './bridge-names.ts'
import { deterministicCallId } from './child-id.ts'
import { effectiveId, withEffectiveId } from './effective-id.ts'
import { readItems, type Entry, type Faulty } from './envelope.ts'
import { losslessReader } from './lossless-reader.ts'

/** Where a call of an expanded turn comes from. */
export interface Origin {
  readonly parentCallId: string
  readonly batchIndex: number
  readonly batchSize: number
}

export interface Expansion {
  readonly turn: AssistantTurn
  /** Per call of the turn; undefined where it was not split off. */
  readonly origins: readonly (Origin | undefined)[]
}

interface Child {
  readonly call: ToolCallIn
  readonly place?: Omit<Origin, 'parentCallId'>
}

/**
 * Splits each `tool_call` with several local entries into calls of their own (R2).
 *
 * Pure and deterministic; looks at no registry. Ids become unique and never blank; provider blocks are replaced in
 * place. An unchanged turn comes back as the same object; nothing of the input is mutated; never throws.
 */
export function expandToolCalls(turn: AssistantTurn): AssistantTurn {
  return expandTurn(turn).turn
}

/** With `apart` the entries of a batch that cannot be read are children of their own, and its other entries run. */
export function expandTurn(turn: AssistantTurn, apart = false): Expansion {
  try {
    return Array.isArray(turn.toolCalls) ? expand(turn, apart) : { turn, origins: [] }
  } catch {
    // Only a foreign object can throw here (a getter, a proxy): such a turn is left as it came.
    return { turn, origins: [] }
  }
}

function expand(turn: AssistantTurn, apart: boolean): Expansion {
  const split = turn.toolCalls.map((call, index) => expandCall(call, index, apart))
  const children = makeUnique(split)
  const calls = children.flat()
  const changed =
    calls.length !== turn.toolCalls.length ||
    calls.some(({ call }, i) => call !== turn.toolCalls[i])
  if (!changed) return { turn, origins: [] }
  const outcomes = turn.toolCalls.map((before, index): Outcome => ({
    before,
    after: children[index]!.map(({ call }) => call),
  }))
  return {
    turn: {
      ...turn,
      toolCalls: calls.map(({ call }) => call),
      ...(turn.contentBlocks === undefined
        ? {}
        : { contentBlocks: rewriteBlocks(turn.contentBlocks, outcomes) }),
    },
    // The first child may have got another id than its parent had.
    origins: children.flatMap((group) =>
      group.map(({ place }) => place && { ...place, parentCallId: effectiveId(group[0]!.call) }),
    ),
  }
}

function expandCall(call: ToolCallIn, index: number, apart: boolean): readonly Child[] {
  if (typeof call !== 'object' || call === null) return [{ call }]
  const entries = call.name === toolCall ? splittable(call, apart) : undefined
  const texts = entries?.map((entry) =>
    'faulty' in entry ? stringifyLossless({ calls: [entry.faulty] }) : childText(entry),
  )
  // An entry that has no JSON text (nested too deeply, a number out of range) is for the dispatcher to refuse.
  if (texts?.every((text) => text !== undefined) === true) return makeChildren(call, texts)
  return [{ call: effectiveId(call) === '' ? withGeneratedId(call, index) : call }]
}

/** The entries of a batch that is to be split: two to ten, not all of them connectors. */
function splittable(call: ToolCallIn, apart: boolean): readonly (Entry | Faulty)[] | undefined {
  const items = readItems(call.arguments, losslessReader)
  if (items === undefined || items.length < 2 || items.length > maxEntries) return undefined
  const good = items.filter((item): item is Entry => !('faulty' in item))
  if (good.length < items.length && !apart) return undefined
  return good.every((item) => isConnector(item.name)) ? undefined : items
}

function makeChildren(parent: ToolCallIn, texts: readonly string[]): readonly Child[] {
  const parentId = effectiveId(parent)
  const firstId = parentId || deterministicCallId(toolCall, '', texts[0]!, 0)
  return texts.map((text, batchIndex) => ({
    place: { batchIndex, batchSize: texts.length },
    call:
      batchIndex === 0
        ? withArguments(parent, parentId, firstId, text)
        : {
            id: deterministicCallId(toolCall, parentId, text, batchIndex),
            name: toolCall,
            arguments: text,
          },
  }))
}

/** The first child is the parent with other arguments; an id that was no text becomes text. */
function withArguments(parent: ToolCallIn, parentId: string, id: string, text: string): ToolCallIn {
  const child = { ...parent, arguments: text }
  return parentId === '' || (typeof parent.id !== 'string' && parent.callId === undefined)
    ? withEffectiveId(child, id)
    : child
}

/** The argument text of a child, from which its id is made too; undefined where the entry has no JSON text. */
export function childText(entry: Entry): string | undefined {
  return stringifyLossless({ calls: [{ name: entry.name, arguments: entry.arguments }] })
}

function withGeneratedId(call: ToolCallIn, index: number): ToolCallIn {
  const text =
    typeof call.arguments === 'string'
      ? call.arguments
      : // What is no JSON has no text to make an id of.
        ((copyJson(call.arguments).ok ? stringifyLossless(call.arguments) : undefined) ?? '')
  return withEffectiveId(call, deterministicCallId(call.name, '', text, index))
}

/** The first holder keeps an id; later ones become `<id>_d2`, `_d3`, …, leaving out ids that are taken. */
function makeUnique(groups: readonly (readonly Child[])[]): readonly (readonly Child[])[] {
  const idOf = (child: Child): string => (isCall(child.call) ? effectiveId(child.call) : '')
  const present = new Set(groups.flat().map(idOf))
  const seen = new Set<string>()
  const numbers = new Map<string, number>()
  return groups.map((group) =>
    group.map((child) => {
      const id = idOf(child)
      if (!isCall(child.call) || !seen.has(id)) {
        seen.add(id)
        return child
      }
      let number = numbers.get(id) ?? 2
      while (present.has(`${id}_d${number}`)) number++
      numbers.set(id, number + 1)
      const unique = `${id}_d${number}`
      present.add(unique)
      seen.add(unique)
      return { ...child, call: withEffectiveId(child.call, unique) }
    }),
  )
}

function isCall(call: unknown): call is ToolCallIn {
  return typeof call === 'object' && call !== null
}
