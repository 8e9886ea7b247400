import { textOf } from '../json.ts'
import type { LoadedDocument, LoadedSchema } from '../schema/model.ts'
import type { Profile } from './profile.ts'

/** A schema in the words of a provider. */
export type Shown = Record<string, unknown>

/** One schema on its way to the model. */
export interface Showing {
  readonly document: LoadedDocument
  readonly profile: Profile
  /** Tells the model what a constraint was that the provider does not take. */
  readonly describe: boolean
  /** What the shown schema no longer says. */
  readonly lossy: string[]
  /** References that are being written out in place. */
  readonly open: Set<string>
  /** Characters that may still be written; what comes after is left out. */
  left: number
  /** Writes one schema. */
  readonly show: (showing: Showing, schema: LoadedSchema, path: string) => Shown
}

export function takes({ profile }: Showing, keyword: string): boolean {
  return profile.keywords?.has(keyword) ?? true
}

export function lose({ lossy }: Showing, path: string, what: string): void {
  lossy.push(`${path || '/'}: ${what}`)
}

/** What a value of any type is written as; where a type must be said, lists and objects are left out. */
export function anything(showing: Showing, path: string): Shown {
  const { typed, typeLists } = showing.profile
  const types = ['string', 'number', 'boolean']
  if (typed !== 'all') return {}
  lose(showing, path, 'any type')
  return typeLists ? { type: [...types, 'null'] } : { anyOf: types.map((type) => ({ type })) }
}

/** The same schema, also for null. */
export function orNull({ profile }: Showing, shown: Shown): Shown {
  const { type, anyOf, enum: members } = shown
  if (profile.nullable) return { ...shown, nullable: true }
  if (Array.isArray(anyOf)) return { ...shown, anyOf: [...(anyOf as unknown[]), { type: 'null' }] }
  if (type === undefined) return { anyOf: [shown, { type: 'null' }] }
  const more = members ? { enum: [members, null].flat() } : {}
  return { ...shown, ...more, type: [type, 'null'].flat() }
}

/** Appends to the description. */
export function describe(shown: Shown, text: string): Shown {
  return { ...shown, description: `${textOf(shown['description'])} ${text}`.trim() }
}
