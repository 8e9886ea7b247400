import { differ } from './compare.ts'
import { checkCoercion, checkRename, checkValidation } from './pipeline-arguments.ts'
import { checkResolution } from './pipeline-resolution.ts'
import { checkDedupe, checkPlan } from './pipeline-turn.ts'
import { judge, type Verdict } from './verdict.ts'

export interface PipelineVector {
  readonly id: string
  readonly group: string
  readonly input: never
  readonly expected: never
}

const groups: {
  readonly [group: string]: (
    input: never,
    expected: never,
  ) => readonly string[] | Promise<readonly string[]>
} = {
  validation: checkValidation,
  coercion: checkCoercion,
  rename: checkRename,
  planner: checkPlan,
  dedupe: checkDedupe,
  resolution: checkResolution,
}

/** Vectors of `pipeline.json`: what stands around the split. */
export function runPipelineVectors(
  vectors: readonly PipelineVector[],
): Promise<readonly Verdict[]> {
  return Promise.all(
    vectors.map(({ id, group, input, expected }) =>
      judge(id, () => groups[group]?.(input, expected) ?? differ('group', group, 'a known group')),
    ),
  )
}
