import type { Serialisation } from '../request/styles.ts'
import type { HttpEncoding, HttpPagination } from './backend.ts'
import type { Template } from './template.ts'

/** One value of a request: how it is written and what fills it. */
export interface Part {
  readonly plan: Serialisation
  readonly value: Template
}

/** How a body is written. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'binary'

export interface BodyPlan {
  readonly kind: BodyKind
  readonly mediaType: string
  /** What a text is written in. */
  readonly charset: string
  readonly value: Template
  /** The argument of a body that is one argument, for errors. */
  readonly parameter: string
  readonly encoding: { readonly [property: string]: HttpEncoding }
  readonly nestedArrays: Serialisation['nestedArrays']
}

/** Where a request goes: a place of a configured server, or an address that the model chose. */
export type TargetPlan =
  | {
      readonly kind: 'server'
      readonly base: URL
      readonly path: readonly (string | Part)[]
      /** What stood after `?` in the template, already encoded. */
      readonly fixedQuery: string
    }
  | { readonly kind: 'argument'; readonly name: string }

/** A backend block, checked and taken apart once; a call only fills it. */
export interface Operation {
  readonly method: string
  readonly target: TargetPlan
  readonly query: readonly Part[]
  readonly headers: readonly Part[]
  readonly cookies: readonly Part[]
  readonly body?: BodyPlan
  readonly idempotencyHeader?: string
  readonly pagination?: HttpPagination
}
