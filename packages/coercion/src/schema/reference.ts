import { problem, type Loading, type Place } from './loading.ts'
import type { LoadedSchema } from './model.ts'
import { resolveReference } from './resolve.ts'

/** The loaded form of a reference: `{$ref}` into `defs`, or what it comes to where there is nothing to refer to. */
export function loadReference(loading: Loading, reference: unknown, place: Place): LoadedSchema {
  if (typeof reference !== 'string') {
    problem(loading, `${place.path}/$ref`, 'reference', 'A reference must be text')
    return true
  }
  const { document, identifiers } = loading
  const target = resolveReference(document, place.resource, reference, identifiers)
  if (target === 'remote') {
    const message = `${JSON.stringify(reference)} is never fetched, so values here are not checked`
    loading.notes.push({ path: `${place.path}/$ref`, rule: 'remote-ref', message })
    return true
  }
  if (target === undefined) {
    const message = `${JSON.stringify(reference)} leads nowhere in this schema`
    problem(loading, `${place.path}/$ref`, 'reference', message)
    return true
  }
  if (typeof target.schema === 'boolean') return target.schema
  let name = loading.names.get(target.schema)
  if (name === undefined) {
    const fresh = `d${loading.names.size}`
    name = fresh
    loading.names.set(target.schema, fresh)
    const inner = { path: reference, resource: target.resource, depth: 0 }
    loading.pending.push(() => {
      loading.defs[fresh] = loading.convert(target.schema, inner)
    })
  }
  return { $ref: `#/$defs/${name}` }
}
