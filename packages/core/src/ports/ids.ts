import type { Ports } from '@callgate/spec'

/**
 * Ids that are unique in the world: a random part made once for this process, and a number. Those of tickets
 * and blobs are random, since who knows one can answer for it, or read it.
 */
export function processIds(): Ports['ids'] {
  const process = crypto.randomUUID().replaceAll('-', '').slice(0, 12)
  let number = 0
  return {
    next: (kind) =>
      kind === 'ticket' || kind === 'blob'
        ? `${kind}_${crypto.randomUUID()}`
        : `${kind}_${process}_${(++number).toString(36)}`,
  }
}
