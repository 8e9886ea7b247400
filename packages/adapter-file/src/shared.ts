import type { Shared } from './operations/operation.ts'
import type { Limits } from './options.ts'
import { hashCache } from './read/content-hash.ts'
import { lineIndex } from './read/line-index.ts'
import { quotaOf } from './write/quota.ts'

/** What the calls of one adapter share, at the beginning. */
export function sharedOf(limits: Limits): Shared {
  return { limits, lines: lineIndex(), hashes: hashCache(), quota: quotaOf(limits) }
}
