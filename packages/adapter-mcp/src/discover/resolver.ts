import type { JsonRecord } from '../record.ts'

/** Whether a reference leads to something. */
export type Resolver = (reference: unknown) => boolean

/** Resolves references of a schema into itself alone, by pointer, anchor or `$id`: nothing is ever fetched. */
export function createResolver(root: JsonRecord): Resolver {
  let names: ReadonlySet<unknown> | undefined
  const id = typeof root['$id'] === 'string' ? root['$id'] : undefined
  return (given) => {
    if (typeof given !== 'string') return false
    const reference =
      id !== undefined && given.startsWith(`${id}#`) ? given.slice(id.length) : given
    if (reference === '#') return true
    if (reference.startsWith('#/')) return pointsAt(root, reference)
    // One walk for all references: a schema with many of either must not cost their product.
    names ??= namesIn(root)
    return names.has(reference.startsWith('#') ? reference.slice(1) : reference)
  }
}

function pointsAt(root: JsonRecord, pointer: string): boolean {
  let at: unknown = root
  for (const part of pointer.slice(2).split('/')) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return false
    at = (at as Record<string, unknown>)[name]
  }
  return at !== undefined && at !== null
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function namesIn(root: JsonRecord): ReadonlySet<unknown> {
  const names = new Set<unknown>()
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const fields = value as Record<string, unknown>
    for (const key of ['$anchor', '$dynamicAnchor', '$id', 'id']) names.add(fields[key])
    for (const item of Object.values(fields)) walk(item)
  }
  walk(root)
  return names
}
