import { definitionOf, type LoadedObject, type LoadedSchema } from '../schema/model.ts'
import { mergeAll } from './merge.ts'
import { anything, lose, orNull, takes, type Showing, type Shown } from './showing.ts'
import { showTypes } from './types.ts'

/** Writes one schema as the provider takes it; what is left out is noted in `lossy`. */
export function show(showing: Showing, schema: LoadedSchema, path: string): Shown {
  if (schema === true) return anything(showing)
  if (schema === false) return takes(showing, 'not') ? { not: {} } : anything(showing)
  if (schema.$ref !== undefined) return showReference(showing, schema, schema.$ref, path)
  if (schema.allOf && !takes(showing, 'allOf')) {
    const { allOf, ...rest } = schema
    return show(showing, mergeParts(showing, [rest, ...allOf], path), path)
  }
  return (
    (showing.profile.nullable && collapse(showing, schema, path)) ||
    showTypes(showing, schema, path)
  )
}

/** A union with null, written as its other branch with `nullable`; undefined where that cannot be done. */
function collapse(showing: Showing, schema: LoadedObject, path: string): Shown | undefined {
  const { anyOf, oneOf, ...rest } = schema
  const union = anyOf ?? oneOf ?? []
  const others = union.filter((branch) => !isNull(branch))
  const [only, ...more] = others
  if (others.length === union.length || (anyOf && oneOf)) return undefined
  if (more.length === 0 && typeof only === 'object') {
    return orNull(showing, show(showing, { ...only, ...rest }, path))
  }
  // A provider without a type null takes the other branches; elsewhere a longer union stays as it is.
  if (!showing.profile.typed) return undefined
  return orNull(showing, showTypes(showing, { ...rest, anyOf: others }, path))
}

function isNull(schema: LoadedSchema): boolean {
  return typeof schema === 'object' && schema.type?.length === 1 && schema.type[0] === 'null'
}

/** A reference, or where the provider takes none the definition in its place; a ring is cut there. */
function showReference(showing: Showing, schema: LoadedObject, $ref: string, path: string): Shown {
  // Some refuse a default beside a reference, some refuse anything.
  const { $ref: _reference, default: _default, ...beside } = schema
  if (takes(showing, '$ref')) {
    return { ...(showing.profile.refAlone ? {} : showTypes(showing, beside, path)), $ref }
  }
  if (showing.open.has($ref)) {
    lose(showing, path, 'recursion')
    return anything(showing)
  }
  showing.open.add($ref)
  const shown = show(showing, mergeParts(showing, [schema], path), path)
  showing.open.delete($ref)
  return shown
}

/** Schemas that all apply as one; references and allOf among them are written out. */
export function mergeParts(
  showing: Showing,
  parts: readonly LoadedSchema[],
  path: string,
): LoadedObject {
  const objects: LoadedObject[] = []
  const pending = [...new Set(parts)]
  // A list that grows while it is walked is walked to its end.
  for (const part of pending) {
    if (typeof part === 'boolean' || objects.length > PARTS) continue
    const { $ref, allOf = [], ...own } = part
    objects.push(own)
    const more = $ref === undefined ? allOf : [definitionOf(showing.document, $ref), ...allOf]
    pending.push(...more.filter((other) => !pending.includes(other)))
  }
  return mergeAll(objects, (keyword) => lose(showing, path, keyword))
}

const PARTS = 1000
