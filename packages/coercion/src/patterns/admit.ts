import { spend } from '../effort.ts'
import { KNOWN_PATTERNS, PATTERN_EFFORT, STEP_EFFORT } from '../limits.ts'
import type { RegExpEngine } from '../types.ts'
import { patternGrowth } from './cost.ts'

/** What is done with a pattern of a schema. */
export interface Verdict {
  /** Why it is not run, or not on every text. */
  readonly note: string
  /** The most characters of a text that it is sure to be run on; less than none where every text is taken as fitting. */
  readonly longest: number
  /** Throws where a call has no effort left for the text: a guess would be wrong, and inside `not` the other way round. */
  test(text: string): boolean
}

/** What other engines read as anchors, classes and counts, and this one without `u` as letters. */
const foreign = /\\[^\W\d_bcdfnrstuvwx]|\[:\w+:\]|[^\\]\{,\d/i

const known = new Map<string, Verdict>()

/** What was tried last: a call that does not fit is checked several times. */
let last: { readonly matcher?: unknown; readonly text?: string; readonly fits: boolean } = {
  fits: false,
}

/** A given engine runs every pattern that it takes; any other is only run where it is proved harmless (R3.7). */
export function judgePattern(pattern: string, regExp: RegExpEngine | undefined): Verdict {
  const given = regExp && judge(pattern, regExp, () => [0, 1])
  if (given && given.longest >= 0) return given
  const verdict = known.get(pattern) ?? judge(pattern, RegExp, patternGrowth)
  if (known.size >= KNOWN_PATTERNS) known.clear()
  known.set(pattern, verdict)
  return verdict
}

function judge(pattern: string, engine: RegExpEngine, growthOf: typeof patternGrowth): Verdict {
  let why = 'it does not compile'
  for (const flags of ['u', '']) {
    try {
      if (!flags && engine === RegExp && foreign.test(pattern.replaceAll('\\\\', ''))) break
      const matcher = engine(pattern, flags)
      const [factor, power] = growthOf(pattern, flags)
      // V8 interprets what was never run, which takes ten times as long.
      if (power > 1) matcher.test('')
      if (factor < Infinity) return bounded(pattern, matcher, factor * STEP_EFFORT, power)
      why = 'it may never end'
      break
    } catch {
      // The other mode takes more.
    }
  }
  return { note: `${pattern} is not run, ${why}`, longest: -1, test: () => true }
}

function bounded(
  pattern: string,
  matcher: ReturnType<RegExpEngine>,
  factor: number,
  power: number,
): Verdict {
  const longest = Math.floor((PATTERN_EFFORT / factor) ** (1 / power))
  return {
    note: `${pattern} is only run on texts of up to ${longest} characters, and a longer one may be refused: give regExp, or a shorter maxLength`,
    longest,
    test(text) {
      if (last.matcher === matcher && last.text === text) return last.fits
      spend(factor * text.length ** power)
      const fits = matcher.test(text)
      if (power > 1) last = { matcher, text, fits }
      return fits
    },
  }
}
