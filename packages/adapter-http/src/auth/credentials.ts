import { encode } from '../request/styles.ts'
import type { HttpAuth } from './auth.ts'
import { resolveReference, type SecretSource } from './secrets.ts'

/** What authorises one request; added after the model's values, dropped on another origin. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: readonly string[]
  readonly query: readonly string[]
  /** A token that the host does not know as a secret, so that it is for the adapter to keep it out of answers. */
  readonly issued?: string
}

export const noCredentials: Credentials = { headers: {}, cookies: [], query: [] }

/** Makes the credentials of a kind that needs no round trip (D8). */
export function staticCredentials(
  auth: Exclude<HttpAuth, { readonly type: 'oauth2' }>,
  secret: SecretSource,
): Credentials {
  if (auth.type === 'bearer') return bearer(resolveReference(auth.token, secret))
  if (auth.type === 'apiKey') {
    return apiKey(auth, (auth.prefix ?? '') + resolveReference(auth.value, secret))
  }
  const username = resolveReference(auth.username, secret)
  const authorization = basic(username, resolveReference(auth.password, secret))
  return { ...noCredentials, headers: { authorization } }
}

export function bearer(token: string): Credentials {
  return { ...noCredentials, headers: { authorization: `Bearer ${token}` } }
}

/** RFC 7617, with UTF-8. */
export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`
}

function apiKey(auth: HttpAuth & { readonly type: 'apiKey' }, value: string): Credentials {
  if (auth.in === 'header')
    return { ...noCredentials, headers: { [auth.name.toLowerCase()]: value } }
  const pair = `${encode(auth.name)}=${encode(value)}`
  return auth.in === 'query'
    ? { ...noCredentials, query: [pair] }
    : { ...noCredentials, cookies: [pair] }
}
