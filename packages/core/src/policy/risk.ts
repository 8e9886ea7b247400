import type { RiskAssessment, RiskFacts } from '../options.ts'

const start = { low: 0, medium: 30, high: 60, critical: 80 } as const
const medium = 30
const high = 60

/** Words that say a call touches what matters; matched in ids, tags and texts of arguments. */
const production = /\b(prod|production|live)\b/i
const privateData =
  /(user_?profiles?|personal|privacy|customers?|patients?|salar(y|ies)|payroll|payments?|credit_?card|ssn|passwords?|secrets?|credentials?)/i

/**
 * Layer 2 (R9.2): a score from 0 to 100 with its factors. Low (under 30) allows, medium allows with audit, high
 * (60 and more) goes to a human.
 *
 * It counts where the tool starts (`riskLevel`), whether it destroys, what it touches, whether a workflow runs, and
 * what the session did lately.
 */
export function assessRisk({ tool, arguments: args, context, history }: RiskFacts): RiskAssessment {
  const level = tool.permissions?.riskLevel
  // A tool that states no risk has none of its own, so nothing around it is weighed either.
  if (level === undefined && tool.effects?.destructive !== true) return unstated
  const factors: { readonly points: number; readonly text: string }[] = []
  const add = (points: number, text: string): void => {
    factors.push({ points, text })
  }
  add(start[level ?? 'medium'], `the tool starts at ${level ?? 'medium'}`)
  if (tool.effects?.destructive === true) add(15, 'it destroys')
  else if (tool.effects?.readOnly !== true) add(5, 'it may write')
  const target = textOf(args)
  if (production.test(target)) add(15, 'the target is production')
  if (privateData.test(target)) add(25, 'the data is private')
  if (context.workflow === undefined) add(10, 'no workflow is running')
  const refused = history.slice(-10).filter(({ status }) => status === 'denied').length
  if (refused > 0) add(5 * refused, `${refused} of the last calls were refused`)
  const score = Math.max(
    0,
    Math.min(
      100,
      factors.reduce((sum, { points }) => sum + points, 0),
    ),
  )
  return {
    level: score >= high ? 'high' : score >= medium ? 'medium' : 'low',
    score,
    factors: factors.map(({ text }) => text),
  }
}

const unstated: RiskAssessment = Object.freeze({
  level: 'low',
  score: 0,
  factors: Object.freeze(['the tool states no risk']),
})

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? ''
}
