import { loadSchema } from '../schema/load.ts'
import type { LoadedObject } from '../schema/model.ts'
import { mergeAny } from './merge.ts'
import type { Profile } from './profile.ts'
import { mergeParts, show } from './show.ts'
import { lose, takes, type Showing, type Shown } from './showing.ts'
import { showTypes } from './types.ts'

/** What no provider takes at the root. */
const refused = ['anyOf', 'oneOf', 'enum', 'const', 'not', 'if', 'then', 'else']

/** Writes the schema of a whole tool: an object, its unions laid into one set of properties, with its definitions. */
export function showRoot(
  schema: unknown,
  profile: Profile,
  describe: boolean,
  lossy: string[],
): Shown {
  const document = loadSchema(schema, { forShow: true })
  const showing: Showing = { document, profile, describe, lossy, open: new Set(), show }
  const whole = mergeParts(showing, [document.root], '')
  const { type, ...root } = withoutUnions(showing, whole)
  if (type && !type.includes('object')) lose(showing, '', 'type')
  const shown = showTypes(showing, { type: ['object'], ...root }, '')
  const names = Object.keys(document.defs)
  if (names.length === 0 || !takes(showing, '$defs')) return shown
  const defs = names.map((name) => [
    name,
    show(showing, document.defs[name] ?? true, `/$defs/${name}`),
  ])
  return { ...shown, $defs: Object.fromEntries(defs) as Shown }
}

function withoutUnions(showing: Showing, whole: LoadedObject): LoadedObject {
  const root = { ...whole }
  for (const keyword of refused) {
    if (keyword in root) lose(showing, '', keyword)
    delete root[keyword]
  }
  let result = root
  for (const union of [whole.anyOf, whole.oneOf]) {
    if (!union) continue
    const branches = union.map((branch) => mergeParts(showing, [branch], ''))
    result = mergeParts(showing, [result, mergeAny(branches)], '')
  }
  return result
}
