import {
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  isDpopNonceChallenge,
  isStrictScopeSuperset,
  type OAuthClientProvider,
  type OAuthTokens,
} from '@modelcontextprotocol/client'

import { FaultError } from '../channel/fault.ts'
import type { Answer } from '../http/answer.ts'
import type { TlsMaterial } from '../http/dispatcher.ts'
import { faultError } from '../http/status.ts'
import { abortable } from '../servers/abortable.ts'
import type { Credentials } from '../text/credentials.ts'
import { messageOf } from '../text/message-of.ts'
import { createGuardedFetch } from './guarded-fetch.ts'
import { StoredProvider } from './stored-provider.ts'

/** A request as its credentials depend on it. */
export interface Credentialed {
  readonly method: string
  readonly url: URL
}

/** The credentials of one server over all its connections. */
export class Authorizer {
  readonly #provider: OAuthClientProvider
  readonly #url: URL
  readonly #fetch: ReturnType<typeof createGuardedFetch>
  readonly #credentials: Credentials
  readonly #skipIssuerMetadataValidation: boolean
  #scope: string | undefined
  #running: Promise<void> | undefined

  constructor(
    provider: OAuthClientProvider,
    url: URL,
    tls: TlsMaterial,
    credentials: Credentials,
    skipIssuerValidation = false,
  ) {
    this.#provider = provider
    this.#url = url
    this.#fetch = createGuardedFetch(url, tls, credentials)
    this.#credentials = credentials
    this.#skipIssuerMetadataValidation = skipIssuerValidation
  }

  /** The page that a user has to visit before anything goes on. */
  get waitingAt(): URL | undefined {
    return this.#provider instanceof StoredProvider ? this.#provider.waitingAt : undefined
  }

  /** The headers that a request needs now. */
  async headers(request: Credentialed): Promise<Readonly<Record<string, string>>> {
    const tokens = await this.#tokens()
    const dpop = await this.#provider.dpop?.()
    if (tokens === undefined) return {}
    if (dpop === undefined) return { authorization: `Bearer ${tokens.access_token}` }
    const nonce = dpop.nonceFor(request.url)
    const proof = await dpop.buildProof({
      htm: request.method,
      htu: request.url,
      accessToken: tokens.access_token,
      ...(nonce === undefined ? {} : { nonce }),
    })
    return { authorization: `DPoP ${tokens.access_token}`, dpop: proof }
  }

  /**
   * After 401 or 403: whether the request is worth repeating. However many requests are refused at once, one
   * authorization runs; it goes on when the request that began it is given up.
   *
   * @throws FaultError `unauthorized` when it fails, or when a human is needed and `signal` fires first.
   */
  async refused(
    answer: Answer,
    request: Credentialed & { readonly authorization: string | undefined },
    signal: AbortSignal,
  ): Promise<boolean> {
    const response = responseOf(answer)
    const dpop = await this.#provider.dpop?.()
    dpop?.observeNonce(response, request.url)
    if (dpop !== undefined && isDpopNonceChallenge(response)) return true
    const challenge = extractWWWAuthenticateParams(response)
    if (answer.status === 403 && challenge.error !== 'insufficient_scope') return false
    this.#running ??= this.#authorize(challenge, answer.status, request.authorization).finally(
      () => {
        this.#running = undefined
      },
    )
    try {
      await abortable(this.#running, signal)
    } catch (error) {
      if (error instanceof FaultError) throw error
      throw this.#refusal(error)
    }
    return true
  }

  stop(): void {
    if (this.#provider instanceof StoredProvider) this.#provider.stop()
  }

  async #authorize(
    challenge: ReturnType<typeof extractWWWAuthenticateParams>,
    status: number,
    used: string | undefined,
  ): Promise<void> {
    const { resourceMetadataUrl } = challenge
    if (resourceMetadataUrl !== undefined && resourceMetadataUrl.origin !== this.#url.origin) {
      const reason = 'the server names metadata of another origin'
      throw faultError({ kind: 'unauthorized', reason })
    }
    const answered = await this.#exclusive(async () => {
      const tokens = await this.#tokens()
      const client = await this.#provider.clientInformation()
      if (client?.client_secret !== undefined) this.#credentials.learn(client.client_secret)
      // Another process, or a request before this one, has new tokens already.
      if (status === 401 && tokens !== undefined && !endsWithToken(used, tokens.access_token)) {
        return 'AUTHORIZED'
      }
      const wanted = computeScopeUnion(
        this.#scope,
        ...(status === 403 ? [tokens?.scope] : []),
        challenge.scope,
      )
      this.#scope = wanted
      const stepUp = status === 403 && isStrictScopeSuperset(wanted, tokens?.scope)
      if (this.#provider instanceof StoredProvider) this.#provider.stepUp = stepUp
      return this.#auth(resourceMetadataUrl, { forceReauthorization: stepUp })
    })
    if (answered === 'REDIRECT') await this.#finish(resourceMetadataUrl)
  }

  /** With what the user's browser brings back. Not exclusive while a human is waited for. */
  async #finish(resourceMetadataUrl: URL | undefined): Promise<void> {
    const provider = this.#provider
    if (!(provider instanceof StoredProvider)) {
      throw faultError({ kind: 'unauthorized', reason: 'the provider waits for its user' })
    }
    try {
      const { code, iss } = await provider.answer()
      await this.#exclusive(() =>
        this.#auth(resourceMetadataUrl, {
          authorizationCode: code,
          ...(iss === undefined ? {} : { iss }),
        }),
      )
    } finally {
      provider.done()
    }
  }

  #auth(
    resourceMetadataUrl: URL | undefined,
    more: { authorizationCode?: string; iss?: string; forceReauthorization?: boolean },
  ): Promise<'AUTHORIZED' | 'REDIRECT'> {
    return auth(this.#provider, {
      serverUrl: this.#url,
      fetchFn: this.#fetch,
      skipIssuerMetadataValidation: this.#skipIssuerMetadataValidation,
      ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
      ...(this.#scope === undefined ? {} : { scope: this.#scope }),
      ...more,
    })
  }

  #exclusive<T>(run: () => Promise<T>): Promise<T> {
    return this.#provider instanceof StoredProvider
      ? this.#provider.store.exclusive(this.#provider.key, run)
      : run()
  }

  /** What the server gives, and may repeat. */
  async #tokens(): Promise<OAuthTokens | undefined> {
    const tokens = await this.#provider.tokens()
    for (const token of [tokens?.access_token, tokens?.refresh_token]) {
      if (token !== undefined) this.#credentials.learn(token)
    }
    return tokens
  }

  #refusal(error: unknown): FaultError {
    const page = this.waitingAt
    return page === undefined
      ? faultError({
          kind: 'unauthorized',
          reason: `the authorization failed: ${this.#credentials.text(messageOf(error))}`,
        })
      : faultError({
          kind: 'unauthorized',
          reason: 'a user has to authorize the gateway with this server first',
          url: page.href,
        })
  }
}

function endsWithToken(header: string | undefined, token: string): boolean {
  return header?.endsWith(` ${token}`) === true
}

/** As the library reads it: of a refusal it wants these headers only. */
function responseOf(answer: Answer): Response {
  const headers = new Headers()
  for (const name of ['www-authenticate', 'dpop-nonce']) {
    const value = answer.header(name)
    if (value !== undefined) headers.set(name, value)
  }
  return new Response(null, { status: answer.status, headers })
}
