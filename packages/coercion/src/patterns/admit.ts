import { affords } from '../effort.ts'
import { KNOWN_PATTERNS } from '../limits.ts'
import type { RegExpEngine } from '../types.ts'
import { patternPower } from './cost.ts'

/** What is done with a pattern of a schema: where it is not run, every text is taken as fitting, and `refusal` says why. */
export interface Verdict {
  readonly refusal?: string
  test(text: string): boolean
}

const known = new Map<string, Verdict>()

/** A given engine runs every pattern that it takes; without one only those run that are proved harmless (R3.7). */
export function judgePattern(pattern: string, regExp: RegExpEngine | undefined): Verdict {
  if (regExp) return judge(pattern, regExp, () => 1)
  const verdict = known.get(pattern) ?? judge(pattern, RegExp, patternPower)
  if (known.size >= KNOWN_PATTERNS) known.clear()
  known.set(pattern, verdict)
  return verdict
}

function judge(pattern: string, engine: RegExpEngine, powerOf: typeof patternPower): Verdict {
  for (const flags of ['u', '']) {
    try {
      const matcher = engine(pattern, flags)
      const power = powerOf(pattern, flags)
      return power === Infinity
        ? refused(pattern, 'it may never end')
        : { test: (text) => (power > 1 && !affords(text.length ** power)) || matcher.test(text) }
    } catch {
      // The other mode takes more.
    }
  }
  return refused(pattern, 'it does not compile')
}

function refused(pattern: string, why: string): Verdict {
  return { refusal: `${pattern} is not run, ${why}`, test: () => true }
}
