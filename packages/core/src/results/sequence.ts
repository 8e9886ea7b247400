/** Expressions that follow each other: of a large one for all V8 takes seconds, and it refuses a larger. */
export type Sequence = readonly RegExp[]

export function sequenceOf(patterns: readonly string[]): Sequence {
  return patterns.map((pattern, at) => new RegExp(pattern, at === 0 ? 'g' : 'y'))
}

/** The same text where nothing is found. */
export function replaceSequence(
  text: string,
  sequence: Sequence,
  replace: (found: string) => string,
): string {
  const first = sequence[0]
  if (first === undefined) return text
  let replaced = ''
  let rest = 0
  first.lastIndex = 0
  for (let found = first.exec(text); found !== null; found = first.exec(text)) {
    const end = endOf(sequence, text, first.lastIndex)
    if (end === undefined) first.lastIndex = found.index + 1
    else {
      replaced += text.slice(rest, found.index) + replace(text.slice(found.index, end))
      rest = first.lastIndex = end
    }
  }
  return replaced + text.slice(rest)
}

/** Where it ends whose first expression ends at a place; undefined where the others do not follow. */
function endOf(sequence: Sequence, text: string, from: number): number | undefined {
  let end = from
  for (let index = 1; index < sequence.length; index++) {
    const next = sequence[index]!
    next.lastIndex = end
    if (!next.test(text)) return undefined
    end = next.lastIndex
  }
  return end
}
