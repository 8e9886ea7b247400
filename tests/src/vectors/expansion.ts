import { effectiveId, expandToolCalls } from '@callgate/core'
import type { AssistantTurn, ToolCallIn } from '@callgate/spec'

import { differ, freezeAll } from './compare.ts'
import { judge, type Verdict } from './verdict.ts'

interface WireCall {
  readonly id?: unknown
  readonly call_id?: string
  readonly response_item_id?: string
  readonly name: string
  readonly arguments: unknown
  readonly effective_id?: string
  readonly from_call?: number
  readonly entry?: number | null
}
type Blocks = { readonly [carrier: string]: unknown }

export interface ExpansionVector {
  readonly id: string
  readonly match: 'exact' | 'semantic' | 'pairing'
  readonly input: { readonly tool_calls: readonly WireCall[]; readonly content_blocks?: Blocks }
  readonly expected: {
    readonly outcome: 'expanded' | 'unchanged' | 'ids_changed'
    readonly tool_calls?: readonly WireCall[]
    readonly content_blocks?: Blocks
  }
}

/** Vectors of `expansion.json`: a turn, and the turn that has to come out. */
export function runExpansionVectors(
  vectors: readonly ExpansionVector[],
): Promise<readonly Verdict[]> {
  return Promise.all(vectors.map((vector) => judge(vector.id, () => check(vector))))
}

function check({ input, expected, match }: ExpansionVector): readonly string[] {
  const turn = freezeAll(toTurn(input))
  const before = JSON.stringify(turn)
  const after = expandToolCalls(turn)
  const differences = [...differ('input', JSON.stringify(turn), before)]
  if (after !== expandToolCalls(after)) differences.push('expanding twice changes something')
  if (expected.outcome === 'unchanged') {
    if (after !== turn) differences.push('the turn is not the same object')
    return differences
  }
  differences.push(...compareCalls(after, turn, expected.tool_calls ?? [], match))
  if (expected.content_blocks !== undefined) {
    differences.push(...compareBlocks(after, turn, expected.content_blocks, match))
  }
  return differences
}

function toTurn({
  tool_calls: calls,
  content_blocks: blocks,
}: ExpansionVector['input']): AssistantTurn {
  return {
    toolCalls: calls.map(({ call_id: callId, response_item_id: responseItemId, ...rest }) => ({
      ...rest,
      ...(callId === undefined ? {} : { callId }),
      ...(responseItemId === undefined ? {} : { responseItemId }),
    })),
    ...(blocks === undefined ? {} : { contentBlocks: flatten(blocks) }),
  }
}

/** Carriers under `other` stand beside the known ones. */
function flatten({ other, ...known }: Blocks): Blocks {
  return { ...known, ...(other as Blocks | undefined) }
}

function toWire({ callId, responseItemId, ...rest }: ToolCallIn): WireCall {
  return {
    ...rest,
    ...(callId === undefined ? {} : { call_id: callId }),
    ...(responseItemId === undefined ? {} : { response_item_id: responseItemId }),
  }
}

function compareCalls(
  after: AssistantTurn,
  before: AssistantTurn,
  expected: readonly WireCall[],
  match: ExpansionVector['match'],
): readonly string[] {
  const got = after.toolCalls
  const differences = [...differ('number of calls', got.length, expected.length)]
  for (const [index, call] of got.entries()) {
    const wanted = expected[index]
    if (wanted === undefined) continue
    const { effective_id: id, from_call: from, entry, ...fields } = wanted
    delete (fields as { id_rule?: unknown }).id_rule
    const strict = match === 'exact'
    const shown = toWire(call)
    differences.push(
      ...differ(
        `call ${index}`,
        strict ? shown : { name: shown.name, arguments: shown.arguments },
        strict ? fields : { name: fields.name, arguments: fields.arguments },
      ),
      ...(match === 'semantic' ? [] : differ(`effective id ${index}`, effectiveId(call), id)),
    )
    const source = before.toolCalls[from ?? -1]
    if (entry === null && source !== undefined && effectiveId(source) === id && call !== source) {
      differences.push(`call ${index} is not the same object as before`)
    }
  }
  const ids = got.map(effectiveId)
  if (new Set(ids).size !== ids.length) differences.push(`ids are not distinct: ${ids.join(', ')}`)
  return differences
}

function compareBlocks(
  after: AssistantTurn,
  before: AssistantTurn,
  expected: Blocks,
  match: ExpansionVector['match'],
): readonly string[] {
  const got = after.contentBlocks ?? {}
  const differences = match === 'semantic' ? [] : [...differ('blocks', got, flatten(expected))]
  for (const [carrier, blocks] of Object.entries(before.contentBlocks ?? {})) {
    const now = got[carrier]
    if (!Array.isArray(blocks) || !Array.isArray(now)) continue
    for (const block of blocks) {
      const untouched = JSON.stringify(block)
      const twin = now.find((other) => JSON.stringify(other) === untouched)
      if (twin !== undefined && twin !== block)
        differences.push(`a block of ${carrier} was copied: ${untouched}`)
    }
  }
  return differences
}
