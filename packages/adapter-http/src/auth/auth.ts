/** A secret by reference, `{env:NAME}`; the host resolves it. Literals are refused. */
export type SecretReference = string

/** How a request is authorised (D8). Sent only to the configured origin. */
export type HttpAuth =
  | { readonly type: 'bearer'; readonly token: SecretReference }
  | {
      readonly type: 'basic'
      /** A name as it is, or a reference. */
      readonly username: string
      readonly password: SecretReference
    }
  | {
      readonly type: 'apiKey'
      readonly in: 'header' | 'query' | 'cookie'
      readonly name: string
      readonly value: SecretReference
      /** Written before the key, such as `Bot `. */
      readonly prefix?: string
    }
  | {
      /** Client credentials, RFC 6749 section 4.4. */
      readonly type: 'oauth2'
      readonly tokenUrl: string
      readonly clientId: string
      readonly clientSecret: SecretReference
      readonly scopes?: readonly string[]
      /** Where the client's credentials go; default: the Authorization header. */
      readonly clientAuth?: 'header' | 'body'
    }
