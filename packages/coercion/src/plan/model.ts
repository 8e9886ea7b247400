import type { Profile } from '../providers/profile.ts'
import type { LoadedDocument, LoadedObject, LoadedSchema } from '../schema/model.ts'
import type { RegExpEngine } from '../types.ts'

/** The way of one document through coercion, for one rule of names; worked out as far as calls need it. */
export interface Plan {
  readonly root: LoadedSchema
  readonly defs: LoadedDocument['defs']
  readonly regExp: RegExpEngine | undefined
  readonly profile: Profile
  /** Whether any property is shown under another name. */
  readonly renames: boolean
  readonly nodes: Map<LoadedSchema, PlanNode>
}

/**
 * Everything that applies to one place of the arguments: a schema with its references and allOf parts laid side by
 * side. Parts are worked out when the walk first comes by, since most calls visit few of them.
 */
export interface PlanNode {
  readonly plan: Plan
  /** The schema to validate with. */
  readonly source: LoadedSchema
  readonly schemas: readonly LoadedObject[]
  /** JSON types that are accepted. */
  mask: number
  /** Values of enum and const without a type, of which an accepted value is one. */
  readonly members: readonly (readonly unknown[])[]
  /** Branches of each anyOf and oneOf. */
  unions: readonly (readonly PlanNode[])[]
  /** Whether the mask alone decides what is accepted. */
  exact: boolean
  /** Properties that the schema names. */
  readonly names: ReadonlySet<string>
  readonly required: ReadonlySet<string>
  /** Name shown to the model to name in the schema, where they differ; null where two would fit. */
  readonly restore: ReadonlyMap<string, string | null>
  readonly children: Map<string | number, Child>
  /** The properties that are one of some fixed texts, each by its own name and shown ones, once a union has asked. */
  tags?: readonly (readonly [names: readonly string[], values: readonly unknown[]])[]
  /** Index from which on all entries of a list are alike. */
  readonly tuple: number
}

/** What applies to one property, or to one entry. */
export interface Child {
  /** The name or the index as a token of a JSON pointer. */
  readonly token: string
  /** Undefined where anything goes, or nothing. */
  readonly node: PlanNode | undefined
}
