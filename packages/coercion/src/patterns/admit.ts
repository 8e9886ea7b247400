import { affords } from '../effort.ts'
import type { RegExpEngine } from '../types.ts'
import { patternPower } from './cost.ts'

/** What is done with a pattern of a schema: where it is not run, every text is taken as fitting, and `refusal` says why. */
export interface Verdict {
  readonly refusal?: string
  test(text: string): boolean
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
      : { test: (text) => (power > 1 && !affords(text.length ** power)) || matcher.test(text) }
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
