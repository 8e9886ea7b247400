import type { OAuthClientProvider } from '@modelcontextprotocol/client'

import type { TokenStore } from './token-store.ts'

/** How the adapter authorizes itself with a server; `{env:NAME}` in secrets and keys is resolved by the host. */
export type HttpAuth = OAuthSettings | ClientCredentialsSettings | ProviderSettings

/** A user authorizes the adapter in a browser (authorization code with PKCE). */
export interface OAuthSettings {
  readonly kind: 'oauth'
  /** Shows the page to the user. Nothing opens it by itself; only https, and http of this machine, comes here. */
  readonly authorize: (request: {
    readonly server: string
    readonly url: URL
  }) => void | Promise<void>
  /** A client that is registered already. Without it: the metadata document, or dynamic registration. */
  readonly clientId?: string
  readonly clientSecret?: string
  /** Address of a client metadata document (CIMD), which takes the place of a registration. */
  readonly clientMetadataUrl?: string
  /** Asked for where the server names no scope. */
  readonly scope?: string
  /** Where the browser comes back to, on this machine. Default `http://127.0.0.1:23110/callback`. */
  readonly redirectUrl?: string
  /** Default: memory. */
  readonly store?: TokenStore
  /** Binds tokens to a key of this process (RFC 9449). */
  readonly dpop?: boolean
  /** For a server whose metadata names another issuer than its address, as of revision 2025-03-26. */
  readonly skipIssuerValidation?: boolean
}

/** The adapter authorizes itself, by a secret or a signed assertion. */
export interface ClientCredentialsSettings {
  readonly kind: 'client-credentials'
  readonly clientId: string
  readonly clientSecret?: string
  /** PKCS #8 in PEM, for `private_key_jwt`. */
  readonly privateKey?: string
  /** Of the signature. Default `ES256`. */
  readonly algorithm?: string
  readonly scope?: string
}

/** A provider of the official SDK: enterprise-managed authorization, DPoP, or one's own. */
export interface ProviderSettings {
  readonly kind: 'provider'
  readonly provider: OAuthClientProvider
}
