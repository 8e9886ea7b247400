import { loadSchema } from '../schema/load.ts'
import { mergeAny } from './merge.ts'
import { refusedAtRoot, type Profile } from './profile.ts'
import { mergeParts, show } from './show.ts'
import { lose, takes, type Showing, type Shown } from './showing.ts'

/** What stands in many places is written in each: up to so many characters, and so many for each of the original. */
const WRITTEN = 100_000
const WRITTEN_FOR_EACH = 4

/** Writes the schema of a whole tool: an object, its unions laid into one set of properties, with its definitions. */
export function showRoot(
  schema: unknown,
  profile: Profile,
  describe: boolean,
  lossy: string[],
): Shown {
  const document = loadSchema(schema, { forShow: true })
  const left = WRITTEN + WRITTEN_FOR_EACH * document.size
  const showing: Showing = { document, profile, describe, lossy, open: new Set(), left, show }
  for (const { path, rule } of document.problems) {
    if (rule === 'size') lose(showing, path, 'too large')
  }
  const whole = mergeParts(showing, [document.root], '')
  const unions = [whole.anyOf, whole.oneOf].flatMap((union) =>
    union ? [mergeAny(union.map((branch) => mergeParts(showing, [branch], '')))] : [],
  )
  const kept = Object.entries(whole).filter(([keyword]) => {
    const refused = refusedAtRoot.test(keyword)
    if (refused) lose(showing, '', keyword)
    return !refused
  })
  const { type, ...merged } = mergeParts(showing, [Object.fromEntries(kept), ...unions], '')
  if (type && !type.includes('object')) lose(showing, '', 'type')
  const shown = show(showing, { type: ['object'], ...merged }, '')
  const definitions = Object.entries(document.defs)
  if (definitions.length === 0 || !takes(showing, '$defs')) return shown
  const $defs = definitions.map(([name, part]) => [name, show(showing, part, `/$defs/${name}`)])
  return { ...shown, $defs: Object.fromEntries($defs) as Shown }
}
