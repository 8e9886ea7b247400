import type { AssistantTurn, ToolCallIn } from '@callgate/spec'

import { effectiveId, headOf } from './effective-id.ts'
import { plainArguments } from './lossless-reader.ts'

/** A call of the turn before expansion, and what it became. */
export interface Outcome {
  readonly before: ToolCallIn
  readonly after: readonly ToolCallIn[]
}

type Carriers = NonNullable<AssistantTurn['contentBlocks']>
type Block = { readonly [key: string]: unknown }

/** How a provider writes a tool call as one of its ordered blocks. */
interface BlockShape {
  /** The id of the tool block; undefined for every other block. */
  idOf(block: unknown): { readonly id: unknown } | undefined
  /** The block for one call; `last` is the last child, which alone keeps a cache breakpoint. */
  write(block: Block, id: string, input: unknown, last: boolean): Block
  rename(block: Block, id: string): Block
}

const anthropic: BlockShape = {
  idOf: (block) =>
    isBlock(block) && block['type'] === 'tool_use' ? { id: block['id'] } : undefined,
  write(block, id, input, last) {
    const { cache_control: cacheControl, ...rest } = block
    return {
      ...rest,
      id,
      input,
      ...(last && cacheControl !== undefined ? { cache_control: cacheControl } : {}),
    }
  },
  rename: (block, id) => ({ ...block, id }),
}

const bedrock: BlockShape = {
  idOf: (block) =>
    isBlock(block) && isBlock(block['toolUse']) ? { id: block['toolUse']['toolUseId'] } : undefined,
  write: (block, id, input) => ({
    ...block,
    toolUse: { ...(block['toolUse'] as Block), toolUseId: id, input },
  }),
  rename: (block, id) => ({ ...block, toolUse: { ...(block['toolUse'] as Block), toolUseId: id } }),
}

/**
 * Rewrites the ordered blocks of Anthropic and Bedrock in place (R2.4): the block of a split call becomes one block
 * per child, the block of a renamed call gets its new id. Every other block (signed thinking above all) stays the
 * same object in the same place, and every other carrier stays as it is.
 */
export function rewriteBlocks(carriers: Carriers, outcomes: readonly Outcome[]): Carriers {
  return {
    ...carriers,
    ...rewriteCarrier('anthropic', carriers, anthropic, outcomes),
    ...rewriteCarrier('bedrock', carriers, bedrock, outcomes),
  }
}

function rewriteCarrier(
  name: 'anthropic' | 'bedrock',
  carriers: Carriers,
  shape: BlockShape,
  outcomes: readonly Outcome[],
): Carriers {
  const blocks = carriers[name]
  if (!Array.isArray(blocks)) return {}
  const pairs = pair(blocks, shape, outcomes)
  return {
    [name]: blocks.flatMap((block, index) => writeBlock(block as Block, pairs.get(index), shape)),
  }
}

/**
 * Which block belongs to which call: by id, and among equal ids by position. A block without an id belongs to the
 * call at its place among the tool blocks.
 */
function pair(
  blocks: readonly unknown[],
  shape: BlockShape,
  outcomes: readonly Outcome[],
): ReadonlyMap<number, Outcome> {
  const pairs = new Map<number, Outcome>()
  const free = new Map<string, Outcome[]>()
  for (const outcome of outcomes) {
    if (!isBlock(outcome.before)) continue
    const id = effectiveId(outcome.before)
    const waiting = free.get(id)
    if (waiting === undefined) free.set(id, [outcome])
    else waiting.push(outcome)
  }
  const paired = new Set<Outcome>()
  const take = (index: number, outcome: Outcome | undefined): void => {
    if (outcome === undefined || paired.has(outcome)) return
    paired.add(outcome)
    pairs.set(index, outcome)
  }
  const tools = blocks.flatMap((block, index) => {
    const tool = shape.idOf(block)
    return tool === undefined ? [] : [{ index, id: headOf(tool.id) }]
  })
  for (const { index, id } of tools) if (id !== '') take(index, free.get(id)?.shift())
  for (const [place, { index, id }] of tools.entries()) if (id === '') take(index, outcomes[place])
  return pairs
}

function writeBlock(
  block: Block,
  outcome: Outcome | undefined,
  shape: BlockShape,
): readonly Block[] {
  if (outcome === undefined) return [block]
  const { before, after } = outcome
  if (after.length === 1) {
    const [call] = after
    return call === before ? [block] : [shape.rename(block, effectiveId(call!))]
  }
  return after.map((call, index) =>
    shape.write(
      block,
      effectiveId(call),
      plainArguments(call.arguments),
      index === after.length - 1,
    ),
  )
}

function isBlock(value: unknown): value is Block {
  return typeof value === 'object' && value !== null
}
