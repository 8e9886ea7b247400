import type { Ports } from '@callgate/spec'

/**
 * Ids that are unique in the world: a random part made once for this process, and a number. That of a ticket is random,
 * since who knows it can answer for it.
 */
export function processIds(): Ports['ids'] {
  const process = crypto.randomUUID().replaceAll('-', '').slice(0, 12)
  let number = 0
  return {
    next: (kind) =>
      kind === 'ticket'
        ? `ticket_${crypto.randomUUID()}`
        : `${kind}_${process}_${(++number).toString(36)}`,
  }
}
