import { InvalidToolError, type ToolId } from '@callgate/spec'

import type { ToolEntry } from './tool-entry.ts'
import { distinctWireName, foldWireName, plainWireName } from './wire-name.ts'

/** Which tool has which wire name. Those of the bridge tools are taken from the start, for good. */
export interface WireNames {
  find(name: string): ToolEntry | undefined
  /** The name for a tool that is to come, or to be replaced. @throws InvalidToolError where it is a bridge tool's. */
  choose(id: ToolId): string
  put(entry: ToolEntry): void
  remove(entry: ToolEntry): void
}

export function createWireNames(reserved: ReadonlyMap<ToolId, ToolEntry>): WireNames {
  const byName = new Map<string, ToolEntry>()
  /** Two names that fold alike must not both be shown. */
  const holders = new Map<string, ToolId>()

  function put(entry: ToolEntry): void {
    byName.set(entry.wireName, entry)
    holders.set(foldWireName(entry.wireName), entry.id)
  }
  for (const entry of reserved.values()) put(entry)

  return {
    find: (name) => byName.get(name),
    choose(id) {
      const plain = plainWireName(id)
      const holder = holders.get(foldWireName(plain)) ?? id
      if (reserved.has(holder) || reserved.has(id)) throw reservedName(id)
      let name = plain
      // Others may have been given the very name that this one would get, to stand in its place.
      for (let salted = id; (holders.get(foldWireName(name)) ?? id) !== id; salted += ' ') {
        name = distinctWireName(plain, salted)
      }
      return name
    },
    put,
    remove({ wireName }) {
      byName.delete(wireName)
      holders.delete(foldWireName(wireName))
    },
  }
}

function reservedName(id: ToolId): InvalidToolError {
  return new InvalidToolError({
    rule: 'reserved-name',
    where: id,
    message: `${id} has the name of a bridge tool.`,
    hint: 'Give the tool another name or namespace.',
  })
}
