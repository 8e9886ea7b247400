import { tokenize } from '../registry/tokenize.ts'
import { byteLength } from './cut-text.ts'

/**
 * The entries of a list that fit in `maxBytes` of JSON, in their order (R11.2). With a task, those that share most of
 * its words come first to the choice, rare words counting more; without one, or where none shares any, the leading ones.
 */
export function cutList(
  list: readonly unknown[],
  maxBytes: number,
  task: string | undefined,
): readonly unknown[] {
  const texts = list.map((entry) => JSON.stringify(entry) ?? 'null')
  const order = task === undefined ? list.keys() : byRelevance(texts, task)
  const chosen = new Set<number>()
  let bytes = 2
  for (const index of order) {
    const size = byteLength(texts[index]!) + 1
    if (bytes + size > maxBytes) continue
    bytes += size
    chosen.add(index)
  }
  return list.filter((_, index) => chosen.has(index))
}

function byRelevance(texts: readonly string[], task: string): readonly number[] {
  const wanted = new Set(tokenize(task))
  const found = texts.map((text) => new Set(tokenize(text).filter((term) => wanted.has(term))))
  const frequency = new Map<string, number>()
  for (const terms of found) {
    for (const term of terms) frequency.set(term, (frequency.get(term) ?? 0) + 1)
  }
  const score = (terms: ReadonlySet<string>): number => {
    let sum = 0
    for (const term of terms) sum += Math.log(1 + texts.length / frequency.get(term)!)
    return sum
  }
  const scores = found.map(score)
  return [...texts.keys()].toSorted((a, b) => scores[b]! - scores[a]! || a - b)
}
