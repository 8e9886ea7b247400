import type { Logger } from '@callgate/spec'

import { leaf, type Misfit } from '../checks/check.ts'
import { oneOf, parts } from '../checks/shapes.ts'
import type { PolicyOptions, RiskAssessment, RiskFacts } from '../options.ts'
import { isPromiseLike } from '../pipeline/maybe.ts'
import { texts } from '../registry/definition-fields.ts'
import { frozenCopy } from '../results/frozen-copy.ts'

const assessment = parts(
  {
    level: oneOf('low', 'medium', 'high'),
    score: leaf('a number', (value) => Number.isFinite(value)),
    factors: texts,
  },
  ['level', 'score', 'factors'],
)

/**
 * Layer 2 by a function of the operator (R9.2), failing closed: where it throws or its answer is no assessment, the risk
 * is high, so a human is asked, or the call is refused where the tool permits no approval. The log says why.
 */
export function checkedRisk(
  policy: PolicyOptions,
  log: Logger,
): (facts: RiskFacts) => RiskAssessment {
  return (facts) => {
    const { given, fault } = ask(policy, facts)
    if (given !== undefined) return given
    log.error('policy.risk gave no assessment, so the risk is taken for high', {
      tool: `${facts.tool.namespace}::${facts.tool.name}`,
      reason: fault,
    })
    return unknownRisk
  }
}

type Answer =
  | { readonly given: RiskAssessment; readonly fault?: undefined }
  | { readonly given?: undefined; readonly fault: string }

function ask(policy: PolicyOptions, facts: RiskFacts): Answer {
  try {
    // A copy, so that what was checked is what is used.
    const given = frozenCopy(policy.risk!(facts))
    const fault = faultOf(given)
    return fault === undefined ? { given } : { fault }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : `it threw ${typeof error}` }
  }
}

/** What a model and a human read; why it is so is for the operator's log alone. */
const unknownRisk: RiskAssessment = Object.freeze({
  level: 'high',
  score: 100,
  factors: Object.freeze(['the risk of this call could not be assessed']),
})

function faultOf(answer: unknown): string | undefined {
  if (isPromiseLike(answer)) {
    // Nobody waits for it, so its rejection is nobody's either.
    void Promise.resolve(answer).catch(() => {})
    return 'it answered with a promise; the function must be synchronous'
  }
  const misfit = assessment(answer)
  return misfit === undefined ? undefined : told(misfit)
}

function told({ path, got, fits }: Misfit): string {
  return `${path.join('.') || 'its answer'} is ${got}; expected ${fits}`
}
