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
  rule: NameRule | undefined,
): ReadonlyMap<string, string> {
  if (!rule) return new Map()
  const renamed = new Map<string, string>()
  const taken = new Set<string>()
  const illegal: string[] = []
  for (const name of names) {
    if (legalName(name, rule) === name) taken.add(name)
    else illegal.push(name)
  }
  const next = new Map<string, number>()
  for (const name of illegal) {
    const base = legalName(name, rule)
    let shown = base
    for (let count = next.get(base) ?? 2; taken.has(shown); count++) {
      const suffix = `_${count}`
      shown = base.slice(0, rule.length - suffix.length) + suffix
      next.set(base, count + 1)
    }
    taken.add(shown)
    renamed.set(name, shown)
  }
  return renamed
}

/** The name itself if it is legal. Only ASCII is left after a replacement, so that slicing cuts code points. */
export function legalName(name: string, { illegal, length }: NameRule): string {
  return (name.replace(illegal, '_') || 'param').slice(0, length)
}
