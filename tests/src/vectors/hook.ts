import { compareHookOutcome, type HookExpectation } from './hook-expectation.ts'
import { runHookScenario, type HookScenario } from './hook-scenario.ts'
import { runShellVector } from './hook-shell.ts'
import { judge, type Verdict } from './verdict.ts'

export interface HookVector {
  readonly id: string
  readonly group: string
  readonly scenario: HookScenario
  readonly expected: HookExpectation
}

/** Vectors of `hook.json`: a turn, hooks and answers of humans, and what has to come of them. */
export function runHookVectors(vectors: readonly HookVector[]): Promise<readonly Verdict[]> {
  return Promise.all(
    vectors.map((vector) =>
      judge(vector.id, async () =>
        vector.group === 'shell'
          ? runShellVector(vector.scenario as never, vector.expected as never)
          : compareHookOutcome(await runHookScenario(vector.scenario), vector.expected),
      ),
    ),
  )
}
