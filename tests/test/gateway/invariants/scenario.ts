import type { AssistantTurn } from '@callgate/spec'
import fc from 'fast-check'

/** How a tool behaves; each of these is a tool of that name. */
export const behaviours = [
  'works',
  'works later',
  'throws',
  'rejects',
  'fault',
  'hangs',
  'needs approval',
  'only reads',
  'streams',
  'falls back',
  'of steps',
] as const
export type Behaviour = (typeof behaviours)[number]
const answers = [
  'nothing',
  'allow',
  'ask',
  'block',
  'throw',
  'nonsense',
  'never',
  'rewrite',
] as const
export type Answer = (typeof answers)[number]

export const scenario = fc.record({
  calls: fc.array(
    fc.record({
      tool: fc.constantFrom<Behaviour | 'unknown'>(
        ...behaviours,
        'unknown',
        'needs approval',
        'needs approval',
        'needs approval',
      ),
      n: fc.oneof(fc.integer(), fc.constant('5'), fc.constant('bad'), fc.constant(undefined)),
      id: fc.constantFrom('a', 'b', 'c', '', undefined),
      batched: fc.boolean(),
    }),
    { maxLength: 8 },
  ),
  hooks: fc.array(
    fc.record({
      answer: fc.constantFrom(...answers),
      later: fc.boolean(),
      tool: fc.constantFrom('*', 'local::works', 'local::throws', 'local::only_reads'),
    }),
    { maxLength: 4 },
  ),
  stopAfter: fc.option(fc.integer({ min: 0, max: 4000 })),
  approve: fc.constantFrom('approve', 'deny', 'throw', 'never', 'edit', 'pending', 'pending'),
  resume: fc.constantFrom('approve', 'approve', 'deny', 'edit'),
})
export type Scenario = typeof scenario extends fc.Arbitrary<infer S> ? S : never

export function turnOf({ calls }: Scenario): AssistantTurn {
  const entry = ({ tool, n }: Scenario['calls'][number]) => ({
    name: tool.replaceAll(' ', '_'),
    arguments: n === undefined ? {} : { n },
  })
  const single = calls
    .filter(({ batched }) => !batched)
    .map((call) => ({ id: call.id, ...entry(call) }))
  const batched = calls.filter((call) => call.batched).map(entry)
  return {
    toolCalls: [
      ...single,
      ...(batched.length > 0
        ? [{ id: 'batch', name: 'tool_call', arguments: JSON.stringify({ calls: batched }) }]
        : []),
    ],
  }
}
