import { dispatching, turnOf, type Variant } from '../../src/dispatch.ts'
import { turnSize, type PeerSubject } from './subject.ts'

const variants: readonly (readonly [string, Variant])[] = [
  ['no hooks', { hooks: 'none', tool: 'async' }],
  ['two synchronous hooks', { hooks: 'sync', tool: 'async' }],
  ['two asynchronous hooks', { hooks: 'async', tool: 'async' }],
]

/** Callgate from its sources, by `dispatch` and by `runTurn`. */
export function subjects(): readonly PeerSubject[] {
  return variants.flatMap(([hooks, variant]): readonly PeerSubject[] => [
    { ...dispatching(`Callgate, ${hooks}`, variant), table: 'call', chunk: 500 },
    { ...turnOf(turnSize, variant, `Callgate runTurn, ${hooks}`), table: 'turn', chunk: 500 },
  ])
}
