import type { HttpAuth } from '../auth/auth.ts'
import type { TargetOptions } from '../guard/policy.ts'
import type { NestedArrays, ParameterStyle } from '../request/styles.ts'

/** Where a parameter goes. */
export type ParameterPlace = 'path' | 'query' | 'header' | 'cookie'

/** A parameter in the words of OpenAPI, filled from one argument. */
export interface HttpParameter {
  readonly name: string
  readonly in: ParameterPlace
  /** The argument that fills it; default: `name`. */
  readonly argument?: string
  /** Default: `simple` for path and header, `form` for query and cookie. */
  readonly style?: ParameterStyle
  /** Default: true for `form` and `deepObject`, else false. */
  readonly explode?: boolean
  readonly allowReserved?: boolean
  /** Write the value as a document of this media type instead of by style. */
  readonly contentType?: string
}

/** How one property of a form or multipart body is written (the Encoding Object of OpenAPI). */
export interface HttpEncoding {
  readonly contentType?: string
  readonly style?: ParameterStyle
  readonly explode?: boolean
  readonly allowReserved?: boolean
  /** The property is a file: `{ content, encoding?, filename?, mediaType? }`. */
  readonly file?: boolean
}

/** The body: one argument as a whole, or declared content with placeholders. */
export interface HttpBody {
  /** Default: application/json. Decides how the value is written. */
  readonly mediaType?: string
  readonly argument?: string
  readonly content?: unknown
  readonly encoding?: { readonly [property: string]: HttpEncoding }
}

/** How an answer says that there is more (D13). */
export type HttpPagination = {
  /** Default 5. */
  readonly maxPages?: number
  /** Where the items are in a page, an RFC 6901 pointer; default: the whole body. */
  readonly items?: string
} & (
  | { /** The `next` relation of the Link header, RFC 8288. */ readonly by: 'link' }
  | {
      /** A cursor in the answer goes into a query parameter. */ readonly by: 'cursor'
      readonly cursor: string
      readonly parameter: string
    }
  | {
      /** A number goes up: the page, or the offset by the number of items got. */
      readonly by: 'page' | 'offset'
      readonly parameter: string
      /** Default: 1 for `page`, 0 for `offset`. */
      readonly first?: number
    }
)

/**
 * The backend block of an HTTP tool (R8.3). One of `url`, or `path` with `baseUrl` or `document`.
 *
 * Placeholders: `{x}` where x is a declared parameter, `{env:NAME}` for a secret. `url: '{x}'` lets the model
 * choose the whole address; no other placeholder may stand before the path.
 */
export interface HttpBackend extends TargetOptions {
  readonly adapter: string
  /** Default: GET. */
  readonly method?: string
  readonly url?: string
  readonly baseUrl?: string
  readonly path?: string
  /** The document whose server, credentials and targets are used. */
  readonly document?: string
  readonly parameters?: readonly HttpParameter[]
  readonly query?: { readonly [name: string]: unknown }
  readonly headers?: { readonly [name: string]: unknown }
  readonly cookies?: { readonly [name: string]: unknown }
  readonly body?: HttpBody
  readonly auth?: HttpAuth
  readonly nestedArrays?: NestedArrays
  /** A header that carries the idempotency key of the call, so that a repeat has no second effect. */
  readonly idempotencyHeader?: string
  readonly pagination?: HttpPagination
}
