import type { RegExpEngine } from '../types.ts'
import { patternPower } from './cost.ts'

export interface Matcher {
  test(text: string): boolean
}

type Verdict = { readonly matcher: Matcher } | { readonly refusal: string }

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

/** Why a pattern of a schema is not run; undefined if it is. */
export function patternRefusal(
  pattern: string,
  regExp: RegExpEngine | undefined,
): string | undefined {
  const verdict = judgePattern(pattern, regExp)
  return 'refusal' in verdict ? verdict.refusal : undefined
}

/** The matcher of an admitted pattern. */
export function patternMatcher(pattern: string, regExp: RegExpEngine | undefined): Matcher {
  const verdict = judgePattern(pattern, regExp)
  return 'matcher' in verdict ? verdict.matcher : { test: () => true }
}

function judgePattern(pattern: string, regExp: RegExpEngine | undefined): Verdict {
  if (regExp) return compileWith(regExp, pattern)
  let verdict = known.get(pattern)
  if (verdict === undefined) {
    verdict = judge(pattern)
    if (known.size >= KNOWN) known.clear()
    known.set(pattern, verdict)
  }
  return verdict
}

function judge(pattern: string): Verdict {
  for (const flags of ['u', '']) {
    const compiled = compileWith((source) => new RegExp(source, flags), pattern)
    if (!('matcher' in compiled)) continue
    const power = patternPower(pattern, flags)
    if (power === undefined) {
      return { refusal: `${pattern} is not run, it may take exponential time` }
    }
    return power === 1 ? compiled : { matcher: bounded(compiled.matcher, power) }
  }
  return { refusal: `${pattern} is not run, it is no JavaScript pattern` }
}

function compileWith(engine: RegExpEngine, pattern: string): Verdict {
  try {
    return { matcher: engine(pattern, 'u') }
  } catch {
    return { refusal: `${pattern} is not run, the engine refuses it` }
  }
}

/** Runs while the steps of the call last; a text for which they do not is taken as fitting. */
function bounded(matcher: Matcher, power: number): Matcher {
  return {
    test(text) {
      const cost = text.length ** power
      if (cost > stepsLeft) return true
      stepsLeft -= cost
      return matcher.test(text)
    },
  }
}
