import { coerceInside, coerceValue } from './coerce-value.ts'
import { WALK_STEPS, type Walk } from './walk.ts'

/** A walk at the root, with the two functions that its parts call for what lies below them. */
export function startWalk(
  options: Pick<Walk, 'depth' | 'bytes' | 'check' | 'intoText'> & { readonly namesOnly?: boolean },
): Walk {
  const walk: Walk = {
    path: [],
    repairs: [],
    depth: options.depth,
    bytes: options.bytes,
    namesOnly: options.namesOnly ?? false,
    intoText: options.intoText,
    skippedText: false,
    steps: WALK_STEPS,
    check: options.check,
    value: (node, value) => coerceValue(walk, node, value),
    inside: (node, value) => coerceInside(walk, node, value),
  }
  return walk
}
