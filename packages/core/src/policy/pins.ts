import type { ToolDefinition, ToolId } from '@callgate/spec'

import type { ToolEntry } from '../registry/tool-entry.ts'
import { digestOf } from '../results/canonical.ts'
import { failure, type Failure } from '../results/failure.ts'

/** Holds back a tool whose definition is not the one that was let in (a poisoned server changes it later). */
export interface Pins {
  check(entry: ToolEntry): Failure | undefined
  /** Takes the definition as it is now for the right one. */
  allow(entry: ToolEntry): void
  /** Whether a tool is held back; pins nothing. */
  holds(entry: ToolEntry): boolean
  /** Whether any tool can be held back. */
  readonly any: boolean
}

/** SHA-256 over what a definition says; functions in it are left out. */
export function definitionDigest(definition: ToolDefinition): string {
  const { effects, ...rest } = definition
  const { resources: _, ...declared } = effects ?? {}
  return digestOf({ ...rest, effects: declared })
}

/**
 * With `known` digests, or with `pinAll`, the first definition seen of a discovered tool is the right one until another
 * is allowed.
 */
export function createPins(
  known: { readonly [id: ToolId]: string } | undefined,
  pinAll: boolean,
): Pins {
  const right = new Map<ToolId, string>(Object.entries(known ?? {}))
  const digests = new WeakMap<ToolDefinition, string>()
  const digest = (definition: ToolDefinition): string => {
    const made = digests.get(definition) ?? definitionDigest(definition)
    digests.set(definition, made)
    return made
  }
  if (known === undefined && !pinAll) {
    return { any: false, check: () => undefined, allow: () => {}, holds: () => false }
  }
  return {
    any: true,
    holds({ id, definition }) {
      const pinned = right.get(id)
      return pinned !== undefined && pinned !== digest(definition)
    },
    allow: ({ id, definition }) => void right.set(id, digest(definition)),
    check({ id, definition, owner }) {
      const pinned = right.get(id)
      if (pinned === undefined) {
        if (pinAll && owner !== 'code') right.set(id, digest(definition))
        return undefined
      }
      if (pinned === digest(definition)) return undefined
      return failure(
        'definition_changed',
        `${id} is held back: its definition changed since it was let in.`,
        {
          hint: 'The operator has to allow it; use another tool meanwhile.',
        },
      )
    },
  }
}
