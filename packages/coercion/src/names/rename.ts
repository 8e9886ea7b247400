import type { NameRule } from '../providers/profile.ts'

/**
 * The names of one `properties` object that have to be shown differently, own name to shown name (R3.2).
 *
 * Legal names keep themselves, wherever they stand. Then, in the order of declaration, every illegal character
 * becomes `_`, the result is cut to the length of the rule, and a taken name gets `_2`, `_3` and so on, its base
 * shortened so that the length still holds. Nothing left is `param`.
 */
export function renamedNames(
  names: readonly string[],
  { illegal, length }: NameRule,
): ReadonlyMap<string, string> {
  const renamed = new Map<string, string>()
  // Each with the number that the next one gets that wants it too.
  const taken = new Map(names.map((name) => [name, 2]))
  for (const name of names) {
    // Only ASCII is left after a replacement, so that slicing cuts code points.
    const base = (name.replace(illegal, '_') || 'param').slice(0, length)
    if (base === name) continue
    let shown = base
    while (taken.has(shown)) {
      const count = taken.get(base) as number
      const suffix = `_${count}`
      shown = base.slice(0, length - suffix.length) + suffix
      taken.set(base, count + 1)
    }
    taken.set(shown, 2)
    renamed.set(name, shown)
  }
  return renamed
}
