import { pointerToken, shown, textOf } from '../json.ts'
import { PARTS } from '../limits.ts'
import { report, type Loading, type LoadOptions } from './loading.ts'
import {
  partsOf,
  reachable,
  unionsOf,
  type LoadedDocument,
  type LoadedObject,
  type LoadedSchema,
} from './model.ts'
import { readReference, readSchema } from './read-schema.ts'
import { resolver } from './resolve.ts'
import { CHARACTERS, LEVELS, sizeOf } from './size.ts'

/**
 * Reads a schema of draft 04 to 2020-12 (chosen by `$schema`, 2020-12 without one) into one form, in bounded time:
 * references are resolved, unknown keywords dropped, OpenAPI's `nullable` written as a type.
 * What is wrong is listed in `problems`, what will not be checked in `notes`.
 */
export function loadSchema(schema: unknown, options: LoadOptions = {}): LoadedDocument {
  const size = sizeOf(schema)
  const document: Loading['document'] = {
    root: true,
    defs: {},
    problems: [],
    notes: [],
    nameLists: [],
    ownProperties: false,
    unevaluated: false,
  }
  const { $schema, $defs } = Object(schema) as { readonly [keyword: string]: unknown }
  const loading: Loading = {
    ...options,
    document,
    resolve: resolver(schema),
    refAlone: /draft-0[3-7]/.test(textOf($schema)),
    referenced: new Map(),
    parts: size > CHARACTERS ? Infinity : 0,
    nots: [],
    open: new Set(),
  }
  const root = readSchema(loading, schema, '', 0)
  for (const name of Object.keys(Object(options.forShow && $defs) as object)) {
    readReference(loading, `#/$defs${pointerToken(name)}`, '', schema)
  }
  // A map that grows while it is walked is walked to its end.
  for (const [part, { name, reference }] of loading.referenced) {
    document.defs[name] = readSchema(loading, part, reference, 0)
  }
  if (loading.parts <= PARTS) {
    reportCircles(loading)
    forgetOpen(loading)
    return { ...document, root }
  }
  // Nothing of it is kept, so that nothing has to be done with much of it.
  const most =
    size > CHARACTERS ? `${CHARACTERS} characters and ${LEVELS} levels` : `${PARTS} parts`
  const message = `is too large: at most ${most} are read, so split the tool`
  const problems = [{ path: '', rule: 'size', message }]
  return { ...document, problems, defs: {}, nameLists: [] }
}

/**
 * What depends on a pattern that is not run is not known, and then refuses nothing: a `not` and an `if` are not looked
 * at, and any branch of a `oneOf` may be the one that fits.
 */
function forgetOpen({ document, open, nots }: Loading): void {
  const isOpen = ([schema, keyword]: (typeof nots)[number]): boolean =>
    open.size > 0 && [...reachable(document, schema[keyword])].some((part) => open.has(part))
  for (const [schema, keyword] of nots.filter(isOpen)) {
    if (keyword === 'oneOf') schema.anyOf ??= schema[keyword] as LoadedSchema[]
    delete schema[keyword]
  }
}

/** A definition that asks for itself at the same place says nothing, and no check of it ends. */
function reportCircles({ document, referenced }: Loading): void {
  for (const { name, reference } of referenced.values()) {
    const definition = document.defs[name] as LoadedObject
    // Of a copy all parts are looked at, so that the definition is among them only where one leads back to it.
    if (partsOf(document, { ...definition }, unionsOf).includes(definition)) {
      report(document.problems, '', 'reference', `${shown(reference)} leads back to itself`)
    }
  }
}
