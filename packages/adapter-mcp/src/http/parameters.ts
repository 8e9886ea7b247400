import type { Authorizer } from '../auth/authorizer.ts'
import type { TlsMaterial } from './dispatcher.ts'

/** How a server is reached over HTTP. */
export interface HttpParameters {
  readonly url: URL
  /** Fresh for every request. */
  readonly headers: () =>
    | Readonly<Record<string, string>>
    | Promise<Readonly<Record<string, string>>>
  readonly authorizer: Authorizer | undefined
  readonly tls: TlsMaterial
  /** Bytes. */
  readonly maxMessageBytes: number
  readonly debug: (message: string, fields: object) => void
}
