import { floor } from '../../src/dispatch.ts'
import type { PeerSubject } from './subject.ts'

/** The least that any dispatcher does, as the first row of both tables. */
export function subjects(): readonly PeerSubject[] {
  return [
    { ...floor(), table: 'call', chunk: 5000 },
    { ...floor(), table: 'turn', chunk: 5000 },
  ]
}
