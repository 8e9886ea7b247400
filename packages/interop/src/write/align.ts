import type { ToolCallIn } from '@callgate/spec'

import { effectiveIdOf, idText } from '../ids/effective-id.ts'

/** What is known of a place where a call stood in the original message. */
export interface Slot {
  readonly id: unknown
  /** The id of the item, where the provider tells it from the id of the call. */
  readonly itemId?: unknown
}

/** A call of the turn with the id that the provider gets for it. */
export interface WireCall {
  readonly call: ToolCallIn
  readonly id: string
}

/**
 * Says for each call which slot is its own; -1 for a call that has none and follows the call before it.
 *
 * Expansion puts the entries of a batch where the batch stood, the first under the id of the batch, and renames
 * an id that comes twice or is blank. So ids decide first; between two calls that are known by id, position does,
 * and what is left over are entries of the batch before them.
 */
export function alignCalls(slots: readonly Slot[], calls: readonly WireCall[]): number[] {
  const owners = matchById(slots, calls)
  const taken = new Set(owners)
  for (let start = 0; start < calls.length; start++) {
    if (owners[start] !== -1) continue
    const end = runEnd(owners, start)
    const before = start === 0 ? -1 : owners[start - 1]!
    const after = end === calls.length ? slots.length : owners[end]!
    const free: number[] = []
    for (let slot = before + 1; slot < after; slot++) if (!taken.has(slot)) free.push(slot)
    fillRun(owners, { start, end, free, slots, calls })
    start = end - 1
  }
  return owners
}

function matchById(slots: readonly Slot[], calls: readonly WireCall[]): number[] {
  const open = new Map<string, number[]>()
  slots.forEach((slot, index) => {
    for (const key of slotKeys(slot)) open.set(key, [...(open.get(key) ?? []), index])
  })
  const taken = new Set<number>()
  return calls.map((wire) => {
    for (const key of callKeys(wire)) {
      const slot = open.get(key)?.find((index) => !taken.has(index))
      if (slot === undefined) continue
      taken.add(slot)
      return slot
    }
    return -1
  })
}

function slotKeys(slot: Slot): string[] {
  const keys = []
  if (typeof slot.itemId === 'string' && slot.itemId !== '') keys.push(`item ${slot.itemId}`)
  if (idText(slot.id) !== '') keys.push(`call ${idText(slot.id)}`)
  return keys
}

function callKeys({ call, id }: WireCall): string[] {
  const keys = [`call ${effectiveIdOf(call)}`, `call ${id}`]
  return call.responseItemId === undefined ? keys : [`item ${call.responseItemId}`, ...keys]
}

function runEnd(owners: readonly number[], start: number): number {
  let end = start
  while (end < owners.length && owners[end] === -1) end++
  return end
}

interface Run {
  readonly start: number
  readonly end: number
  /** Slots between the neighbours of the run that no call has by id, ascending. */
  readonly free: number[]
  readonly slots: readonly Slot[]
  readonly calls: readonly WireCall[]
}

function fillRun(owners: number[], run: Run): void {
  const { start, end, free } = run
  for (let index = start; index < end && free.length > 0; index++) {
    const first = index === 0
    const enough = free.length >= end - index
    if (first || enough || isRenamed(run.slots[free[0]!]!, run.calls[index]!.call)) {
      owners[index] = free.shift()!
    }
  }
}

/** A call whose id was made by expansion, because the id of its slot was blank or came twice. */
function isRenamed(slot: Slot, call: ToolCallIn): boolean {
  const was = idText(slot.id)
  if (was === '') return true
  const now = effectiveIdOf(call)
  return now.startsWith(`${was}_d`) && /^\d+$/.test(now.slice(was.length + 2))
}
