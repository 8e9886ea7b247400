import { loadSchema } from '../schema/load.ts'
import { sizeOf } from '../schema/size.ts'
import { WRITTEN, WRITTEN_FOR_EACH } from './limits.ts'
import { mergeAll, mergeAny } from './merge.ts'
import { note, takes } from './place.ts'
import { asPlain } from './plain.ts'
import { refusedAtRoot, type Profile } from './profile.ts'
import { mergeParts, show } from './show.ts'
import type { Showing, Shown } from './showing.ts'

/** Writes the schema of a whole tool: an object, its unions laid into one set of properties, with its definitions. */
export function showRoot(schema: unknown, profile: Profile, notes: string[]): Shown {
  const plain = asPlain({ profile, notes, path: '' }, schema)
  const document = loadSchema(plain, { forShow: true })
  const { defs } = document
  const showing: Showing = {
    defs,
    profile,
    notes,
    path: '',
    open: new Set(),
    budget: { left: WRITTEN + WRITTEN_FOR_EACH * sizeOf(plain) },
    show,
  }
  for (const { path, message } of document.problems) note({ notes, path }, message)
  const whole = mergeParts(showing, document.root)
  const unions = (['anyOf', 'oneOf'] as const).map((kind) =>
    mergeAny((whole[kind] ?? []).map((branch) => mergeParts(showing, branch))),
  )
  for (const keyword of refusedAtRoot(whole)) {
    note(showing, keyword)
    delete whole[keyword]
  }
  const merged = mergeAll(showing, [whole, ...unions])
  if (merged.type?.includes('object') === false) note(showing, 'type')
  merged.type = ['object']
  if (takes(showing, '$defs') && Object.keys(defs).length > 0) merged['$defs'] = defs
  return show(showing, merged)
}
