import type { RegExpEngine } from '../types.ts'
import { patternPower } from './cost.ts'

/** What is done with a pattern of a schema: where it is not run, every text is taken as fitting, and `refusal` says why. */
export interface Verdict {
  readonly refusal?: string
  test(text: string): boolean
}

/** Steps that all patterns together may take for one call, where their time is not linear. */
const STEPS = 20_000_000
/** What is left of the steps of the call that is under way; everything here is synchronous. */
let stepsLeft = STEPS

/** To be called when a call begins. */
export function refillPatternSteps(): void {
  stepsLeft = STEPS
}

const known = new Map<string, Verdict>()
const KNOWN = 2000

/** A given engine runs every pattern that it takes; without one only those run that are proved harmless (R3.7). */
export function judgePattern(pattern: string, regExp: RegExpEngine | undefined): Verdict {
  if (regExp) return compile(regExp, pattern, 'u') ?? refused(pattern, 'it does not compile')
  const verdict = known.get(pattern) ?? judge(pattern)
  if (known.size >= KNOWN) known.clear()
  known.set(pattern, verdict)
  return verdict
}

function judge(pattern: string): Verdict {
  for (const flags of ['u', '']) {
    const matcher = compile((source) => new RegExp(source, flags), pattern, flags)
    if (!matcher) continue
    const power = patternPower(pattern, flags)
    return power === undefined
      ? refused(pattern, 'it may never end')
      : { test: (text) => (power > 1 && spend(text.length ** power) ? true : matcher.test(text)) }
  }
  return refused(pattern, 'it does not compile')
}

function refused(pattern: string, why: string): Verdict {
  return { refusal: `${pattern} is not run, ${why}`, test: () => true }
}

function compile(engine: RegExpEngine, pattern: string, flags: string): Verdict | undefined {
  try {
    const matcher = engine(pattern, flags)
    return { test: (text) => matcher.test(text) }
  } catch {
    return undefined
  }
}

/** Whether the call has not enough steps left; else they are taken. */
function spend(steps: number): boolean {
  if (steps > stepsLeft) return true
  stepsLeft -= steps
  return false
}
