import { renamedNames } from '../names/rename.ts'
import { pointerToken, shown as valueText, type LoadedObject } from '../schema/model.ts'
import { describe, lose, orNull, takes, type Showing, type Shown } from './showing.ts'

/** Writes what an object schema says about its fields, in the names that the provider takes. */
export function showObject(
  showing: Showing,
  schema: LoadedObject,
  out: Shown,
  path: string,
): Shown {
  const { profile } = showing
  const { properties = {}, required = [] } = schema
  if (isMap(showing, schema) && path !== '') return asText(showing, schema, out, path)
  const renamed = renamedNames(Object.keys(properties), profile.names)
  const rename = (name: string): string => renamed.get(name) ?? name
  const fields: Shown = {}
  for (const [name, value] of Object.entries(properties)) {
    let field = showing.show(showing, value, `${path}/properties${pointerToken(name)}`)
    if (profile.closed && !required.includes(name)) field = orNull(showing, field)
    // A name of underscores tells the model nothing.
    if (showing.describe && rename(name) !== name) field = describe(field, `(${valueText(name)})`)
    fields[rename(name)] = field
  }
  const known = required.filter((name) => Object.hasOwn(properties, name))
  if (known.length < required.length) lose(showing, path, 'required')
  const names = profile.closed ? Object.keys(fields) : known.map(rename)
  const shown: Shown = { ...out, properties: fields }
  if (names.length > 0 || profile.closed) shown['required'] = names
  if (profile.closed) shown['additionalProperties'] = false
  return { ...shown, ...showDependent(showing, schema, path, rename) }
}

function showDependent(
  showing: Showing,
  { dependentRequired, dependentSchemas }: LoadedObject,
  path: string,
  rename: (name: string) => string,
): Shown {
  if (!takes(showing, 'dependentRequired')) {
    if (dependentRequired ?? dependentSchemas) lose(showing, path, 'dependencies')
    return {}
  }
  const rekey = (map: object, value: (entry: never, name: string) => unknown): Shown =>
    Object.fromEntries(Object.entries(map).map(([k, v]) => [rename(k), value(v as never, k)]))
  return {
    ...(dependentRequired && {
      dependentRequired: rekey(dependentRequired, (names: string[]) => names.map(rename)),
    }),
    ...(dependentSchemas && {
      dependentSchemas: rekey(dependentSchemas, (part, name) =>
        showing.show(showing, part, `${path}/dependentSchemas${pointerToken(name)}`),
      ),
    }),
  }
}

/** Fields whose names are not known, where the provider needs to know them. */
function isMap(showing: Showing, schema: LoadedObject): boolean {
  const { properties, patternProperties, additionalProperties } = schema
  if (takes(showing, 'additionalProperties') && !showing.profile.closed) return false
  const open = additionalProperties !== undefined && additionalProperties !== false
  return open || patternProperties !== undefined || Object.keys(properties ?? {}).length === 0
}

/** Such an object is asked for as JSON text, which coercion reads back. */
function asText(showing: Showing, schema: LoadedObject, out: Shown, path: string): Shown {
  lose(showing, path, 'an object with free keys, shown as JSON text')
  const { additionalProperties: values, properties } = schema
  const hint = properties ?? values
  const text = `JSON text of an object${typeof hint === 'object' ? ` like ${valueText(hint)}` : ''}`
  const { description, title } = out
  return describe(
    { type: 'string', ...(title ? { title } : {}), ...(description ? { description } : {}) },
    text,
  )
}
