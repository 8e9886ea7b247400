import type { Authorizer } from '../auth/authorizer.ts'
import type { Credentials } from '../text/credentials.ts'
import type { TlsMaterial } from './dispatcher.ts'

/** How a server is reached over HTTP. */
export interface HttpParameters {
  readonly url: URL
  /** Fresh for every request. */
  readonly headers: () =>
    | Readonly<Record<string, string>>
    | Promise<Readonly<Record<string, string>>>
  readonly authorizer: Authorizer | undefined
  /** Taken out of what the server says. */
  readonly credentials: Credentials
  readonly tls: TlsMaterial
  /** Bytes. */
  readonly maxMessageBytes: number
  readonly debug: (message: string, fields: object) => void
}
