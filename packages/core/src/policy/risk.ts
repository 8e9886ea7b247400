import type { RiskAssessment, RiskFacts } from '../options.ts'

const start = { low: 0, medium: 30, high: 60, critical: 80 } as const
const medium = 30
const high = 60
const highest = 100

/** Words that say a call touches what matters; matched in the arguments as JSON. */
const production = /(?<![a-z0-9])(prod|production|live)(?![a-z0-9])/i
const privateData =
  /(user_?profiles?|personal|privacy|customers?|patients?|salar(y|ies)|payroll|payments?|credit_?card|ssn|passwords?|secrets?|credentials?)/i

interface Factor {
  readonly points: number
  readonly text: string
}

/** A factor that weighs the same wherever it shows. */
interface Sign extends Factor {
  /** Takes the arguments as JSON besides: all signs read the same text. */
  shows(facts: RiskFacts, target: string): boolean
}

const signs: readonly Sign[] = [
  { points: 15, text: 'it destroys', shows: ({ tool }) => destroys(tool) },
  {
    points: 5,
    text: 'it may write',
    shows: ({ tool }) => !destroys(tool) && tool.effects?.readOnly !== true,
  },
  {
    points: 15,
    text: 'the target is production',
    shows: (_facts, target) => production.test(target),
  },
  { points: 25, text: 'the data is private', shows: (_facts, target) => privateData.test(target) },
  {
    points: 10,
    text: 'no workflow is running',
    shows: ({ context }) => context.workflow === undefined,
  },
]

/**
 * Layer 2 (R9.2): a score from 0 to 100 with its factors. Low (under 30) allows, medium allows with audit, high
 * (60 and more) goes to a human.
 *
 * It counts where the tool starts (`riskLevel`), whether it destroys, what it touches, whether a workflow runs, and
 * what the session did lately.
 */
export function assessRisk(facts: RiskFacts): RiskAssessment {
  const { tool } = facts
  const level = tool.permissions?.riskLevel
  // A tool that states no risk has none of its own, so nothing around it is weighed either.
  if (level === undefined && !destroys(tool)) return unstated
  const target = textOf(facts.arguments)
  const factors: Factor[] = [startOf(level ?? 'medium')]
  for (const sign of signs) if (sign.shows(facts, target)) factors.push(sign)
  const refused = refusedLately(facts)
  if (refused > 0) {
    factors.push({ points: 5 * refused, text: `${refused} of the last calls were refused` })
  }
  const score = Math.min(
    highest,
    factors.reduce((sum, { points }) => sum + points, 0),
  )
  return { level: levelOf(score), score, factors: factors.map(({ text }) => text) }
}

const unstated: RiskAssessment = Object.freeze({
  level: 'low',
  score: 0,
  factors: Object.freeze(['the tool states no risk']),
})

function destroys({ effects }: RiskFacts['tool']): boolean {
  return effects?.destructive === true
}

function startOf(level: keyof typeof start): Factor {
  return { points: start[level], text: `the tool starts at ${level}` }
}

function refusedLately({ history }: RiskFacts): number {
  return history.slice(-10).filter(({ status }) => status === 'denied').length
}

function levelOf(score: number): RiskAssessment['level'] {
  if (score >= high) return 'high'
  return score >= medium ? 'medium' : 'low'
}

function textOf(value: unknown): string {
  // An escape would join the words around it.
  return (JSON.stringify(value) ?? '').replace(/\\[^u]|\\u..../g, ' ')
}
