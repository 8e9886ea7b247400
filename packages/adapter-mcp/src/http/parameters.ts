import type { Authorizer } from '../auth/authorizer.ts'

/** How a server is reached over HTTP. */
export interface HttpParameters {
  readonly url: URL
  /** Fresh for every request. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>
  readonly authorizer: Authorizer | undefined
  /** Bytes. */
  readonly maxMessageBytes: number
  readonly debug: (message: string, fields: object) => void
}
