import type { ToolId } from '@callgate/spec'

import { whenRejected } from '../pipeline/maybe.ts'

export type RegistryEvent = 'added' | 'changed' | 'removed'

/** Who is told of the tools that come, change and go. */
export interface Listeners {
  /** Gives back what takes the listener off. */
  on(event: RegistryEvent, listener: (id: ToolId) => void): () => void
  emit(event: RegistryEvent, id: ToolId): void
}

/** Takes what is told of what a listener threw: the tool is there, or gone, whoever fails at hearing of it. */
export function createListeners(failed: (error: unknown, id: ToolId) => void): Listeners {
  const listeners: Record<RegistryEvent, Set<(id: ToolId) => void>> = {
    added: new Set(),
    changed: new Set(),
    removed: new Set(),
  }
  return {
    on(event, listener) {
      // One function may be given twice, and is taken off by each of the two for itself.
      const own = (id: ToolId): void => listener(id)
      listeners[event].add(own)
      return () => listeners[event].delete(own)
    },
    emit(event, id) {
      for (const listener of [...listeners[event]]) {
        try {
          whenRejected(listener(id), (error) => failed(error, id))
        } catch (error) {
          failed(error, id)
        }
      }
    },
  }
}
