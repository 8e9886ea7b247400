import type { Ports } from '@callgate/spec'

import type { Call } from './call.ts'

/** Waits for a human; the time counts against no limit of the call, nor of those inside which it was made. */
export async function waitForHuman<T>(
  call: Call,
  clock: Ports['clock'],
  work: Promise<T>,
): Promise<T> {
  for (let each: Call | undefined = call; each !== undefined; each = each.lineage.parent) {
    if (each.asking++ === 0) each.askingSince = clock.now()
  }
  try {
    return await work
  } finally {
    for (let each: Call | undefined = call; each !== undefined; each = each.lineage.parent) {
      if (--each.asking === 0) each.waitedMs += clock.now() - each.askingSince
    }
  }
}

/** Milliseconds that humans took until now. */
export function humanMs({ waitedMs, asking, askingSince }: Call, clock: Ports['clock']): number {
  return asking === 0 ? waitedMs : waitedMs + clock.now() - askingSince
}
