import { loadSchema } from '../schema/load.ts'
import { WRITTEN, WRITTEN_FOR_EACH } from './limits.ts'
import { mergeAll, mergeAny } from './merge.ts'
import { note, takes } from './place.ts'
import { refusedAtRoot, type Profile } from './profile.ts'
import { mergeParts, show } from './show.ts'
import type { Showing, Shown } from './showing.ts'

/** Writes the schema of a whole tool: an object, its unions laid into one set of properties, with its definitions. */
export function showRoot(schema: unknown, profile: Profile, notes: string[]): Shown {
  const { defs, problems, root, size } = loadSchema(schema, { forShow: true })
  const budget = { left: WRITTEN + WRITTEN_FOR_EACH * size }
  const showing: Showing = { defs, profile, notes, path: '', open: new Set(), budget, show }
  for (const { path, message } of problems) note({ notes, path }, message)
  const whole = mergeParts(showing, root)
  const unions = (['anyOf', 'oneOf'] as const).map((kind) =>
    mergeAny((whole[kind] ?? []).map((branch) => mergeParts(showing, branch))),
  )
  for (const keyword of Object.keys(whole).filter((word) => refusedAtRoot.test(word))) {
    note(showing, keyword)
    delete whole[keyword]
  }
  const merged = mergeAll(showing, [whole, ...unions])
  if (merged.type?.includes('object') === false) note(showing, 'type')
  const refers = takes(showing, '$defs') && Object.keys(defs).length > 0
  return show(showing, { ...merged, type: ['object'], ...(refers && { $defs: defs }) })
}
