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
  /** Writes one schema. */
  readonly show: (showing: Showing, schema: LoadedSchema, path: string) => Shown
}

export function takes({ profile }: Showing, keyword: string): boolean {
  return profile.keywords === undefined || profile.keywords.has(keyword)
}

export function lose({ lossy }: Showing, path: string, what: string): void {
  lossy.push(`${path || '/'}: ${what}`)
}

/** What a value of any type is written as. */
export function anything({ profile }: Showing): Shown {
  if (!profile.typed) return {}
  const types = ['string', 'number', 'boolean']
  return profile.typeLists
    ? { type: [...types, 'null'] }
    : { anyOf: types.map((type) => ({ type })) }
}

/** The same schema, also for null. */
export function orNull({ profile }: Showing, shown: Shown): Shown {
  if (profile.nullable) return { ...shown, nullable: true }
  const { type, anyOf } = shown
  if (Array.isArray(anyOf)) return { ...shown, anyOf: [...(anyOf as unknown[]), { type: 'null' }] }
  if (!profile.typeLists || type === undefined) return { anyOf: [shown, { type: 'null' }] }
  const members = shown['enum']
  return {
    ...shown,
    type: [...new Set([type, 'null'].flat())],
    ...(Array.isArray(members) ? { enum: [...new Set([...(members as unknown[]), null])] } : {}),
  }
}

/** Appends to the description. */
export function describe(shown: Shown, text: string): Shown {
  const own = shown['description']
  return { ...shown, description: typeof own === 'string' && own !== '' ? `${own} ${text}` : text }
}
