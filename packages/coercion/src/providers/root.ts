import { pointerToken, unescapeToken } from '../json.ts'
import { loadSchema } from '../schema/load.ts'
import { definitionOf } from '../schema/model.ts'
import { sizeOf } from '../schema/size.ts'
import { tellLost } from './keywords.ts'
import { WRITTEN, WRITTEN_FOR_EACH } from './limits.ts'
import { mergeAll, mergeAny } from './merge.ts'
import { note } from './place.ts'
import { asPlain } from './plain.ts'
import { profiles, refusedAtRoot, type Profile } from './profile.ts'
import { mergeParts, show } from './show.ts'
import { describe, type Showing, type Shown } from './showing.ts'

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
    referred: new Set(),
    budget: { left: WRITTEN + WRITTEN_FOR_EACH * sizeOf(plain) },
    show,
  }
  for (const { path, message } of document.problems) note({ notes, path }, message)
  const whole = mergeParts(showing, document.root)
  const unions = (['anyOf', 'oneOf'] as const).map((kind) =>
    mergeAny((whole[kind] ?? []).map((branch) => mergeParts(showing, branch))),
  )
  const lost: string[] = []
  for (const keyword of refusedAtRoot(whole)) {
    lost.push(tellLost(showing, keyword, whole[keyword]))
    delete whole[keyword]
  }
  const merged = mergeAll(showing, [whole, ...unions])
  if (merged.type?.includes('object') === false) note(showing, 'type')
  merged.type = ['object']
  // Of OpenAPI; its parts are among the definitions.
  delete merged['components']
  // For every provider at once all stays that may stay, and nothing is told.
  const isAny = profile === profiles.any
  const root = show(showing, lost.length > 0 && !isAny ? describe(merged, lost.join(', ')) : merged)
  for (const name of isAny ? Object.keys(defs) : []) {
    showing.referred.add(`#/$defs${pointerToken(name)}`)
  }
  const $defs: Shown = {}
  // A set that grows while it is walked is walked to its end.
  for (const reference of showing.referred) {
    const name = unescapeToken(reference.slice('#/$defs/'.length))
    const place = { ...showing, path: reference.slice(1) }
    $defs[name] = show(place, definitionOf(document, reference))
  }
  return showing.referred.size > 0 ? { ...root, $defs } : root
}
