import type { Ports } from '@callgate/spec'

import { memoryApprovals } from './approvals.ts'
import { memoryAudit } from './audit.ts'
import { memoryBlobs } from './blobs.ts'
import { systemClock } from './clock.ts'
import { processIds } from './ids.ts'
import { memoryStatistics } from './statistics.ts'

/** The given ports, the rest in memory. */
export function completePorts(given: Partial<Ports> = {}): Ports {
  const ids = given.ids ?? processIds()
  return {
    clock: given.clock ?? systemClock,
    ids,
    random: given.random ?? { next: () => Math.random() },
    audit: given.audit ?? memoryAudit(),
    statistics: given.statistics ?? memoryStatistics(),
    approvals: given.approvals ?? memoryApprovals(),
    blobs: given.blobs ?? memoryBlobs(ids),
  }
}
