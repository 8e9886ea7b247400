import {
  ClientCredentialsProvider,
  type OAuthClientProvider,
  PrivateKeyJwtProvider,
} from '@modelcontextprotocol/client'

import { tlsOf } from '../connect/settings.ts'
import type { HttpServer } from '../options.ts'
import type { Credentials } from '../text/credentials.ts'
import { Authorizer } from './authorizer.ts'
import type { ClientCredentialsSettings } from './settings.ts'
import { StoredProvider } from './stored-provider.ts'

/**
 * The authorizer that a server is configured with, if any. `fill` puts secrets in place; `stored` is called when there are
 * tokens that this process could not get before.
 */
export function createAuthorizer(
  server: string,
  config: HttpServer,
  url: URL,
  fill: (text: string) => string,
  credentials: Credentials,
  stored: () => void,
): Authorizer | undefined {
  const { auth } = config
  if (auth === undefined) return undefined
  const tls = tlsOf(config, fill)
  if (auth.kind === 'provider') return new Authorizer(auth.provider, url, tls, credentials)
  if (auth.kind === 'client-credentials') {
    return new Authorizer(clientCredentials(auth, fill), url, tls, credentials)
  }
  const { clientSecret, skipIssuerValidation = false } = auth
  const settings = {
    ...auth,
    ...(clientSecret === undefined ? {} : { clientSecret: fill(clientSecret) }),
  }
  const provider = new StoredProvider(server, url, settings, stored)
  return new Authorizer(provider, url, tls, credentials, skipIssuerValidation)
}

function clientCredentials(
  settings: ClientCredentialsSettings,
  fill: (text: string) => string,
): OAuthClientProvider {
  const { clientId, clientSecret, privateKey, algorithm = 'ES256', scope } = settings
  const common = { clientId, ...(scope === undefined ? {} : { scope }) }
  return privateKey === undefined
    ? new ClientCredentialsProvider({ ...common, clientSecret: fill(clientSecret ?? '') })
    : new PrivateKeyJwtProvider({ ...common, privateKey: fill(privateKey), algorithm })
}
