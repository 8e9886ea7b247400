import type { ToolFaults } from '@callgate/spec'

/** Says which rule a declaration breaks and what to write instead. */
export type Refuse = ToolFaults['refuse']
