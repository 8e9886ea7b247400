import { randomUUID } from 'node:crypto'

import {
  DpopSession,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client'

import { isOpenableUrl } from '../callbacks/url.ts'
import { faultError } from '../http/status.ts'
import { type Callback, listenForCallback } from './callback.ts'
import type { OAuthSettings } from './settings.ts'
import { type Credentials, memoryTokenStore, type TokenStore } from './token-store.ts'

/** Its port is below those that systems give to whoever asks for any, so that it is free. */
const defaultRedirect = 'http://127.0.0.1:23110/callback'

/** How often it is looked whether another process has stored tokens, in milliseconds. */
const lookMs = 1000

/** One user's authorization with one server, kept in a store. */
export class StoredProvider implements OAuthClientProvider {
  readonly redirectUrl: string
  readonly clientMetadataUrl?: string
  readonly key: string
  readonly store: TokenStore
  /** More scope is wanted than a refresh can bring. */
  stepUp = false
  readonly #server: string
  readonly #settings: OAuthSettings
  #dpop: Promise<DpopSession> | undefined
  #verifier = ''
  #state = ''
  #discovery: OAuthDiscoveryState | undefined
  #callback: Callback | undefined
  #page: URL | undefined
  #look: NodeJS.Timeout | undefined
  readonly #stored: () => void
  #stopped = false

  /**
   * `stored` is called when there are tokens that this process could not get, for another had the port: those of the other,
   * or its own, where the port was free at a later attempt.
   */
  constructor(server: string, url: URL, settings: OAuthSettings, stored: () => void) {
    this.#server = server
    this.#settings = settings
    this.#stored = stored
    this.redirectUrl = settings.redirectUrl ?? defaultRedirect
    this.store = settings.store ?? memoryTokenStore()
    // The store may be shared: another client or another address is another authorization.
    this.key = JSON.stringify([url.href, settings.clientId ?? '', this.redirectUrl])
    if (settings.clientMetadataUrl !== undefined)
      this.clientMetadataUrl = settings.clientMetadataUrl
  }

  get clientMetadata(): OAuthClientMetadata {
    const { clientSecret, scope } = this.#settings
    return {
      client_name: 'Callgate',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: clientSecret === undefined ? 'none' : 'client_secret_basic',
      ...(scope === undefined ? {} : { scope }),
    }
  }

  /** The page a user has to visit, while one is waited for. */
  get waitingAt(): URL | undefined {
    return this.#page
  }

  async dpop(): Promise<DpopSession | undefined> {
    if (this.#settings.dpop !== true) return undefined
    this.#dpop ??= DpopSession.create()
    return this.#dpop
  }

  state(): string {
    this.#state = randomUUID()
    return this.#state
  }

  async clientInformation(): Promise<StoredOAuthClientInformation | undefined> {
    const { clientId, clientSecret } = this.#settings
    const client = (await this.store.read(this.key))?.client
    if (clientId === undefined) return client as StoredOAuthClientInformation | undefined
    return {
      client_id: clientId,
      ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
      ...(typeof client?.['issuer'] === 'string' ? { issuer: client['issuer'] } : {}),
    }
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    // Of a configured client only whose it is: its secret stays in the configuration.
    const { clientId } = this.#settings
    const known = clientId === undefined ? { ...client } : { issuer: client.issuer }
    await this.#change({ client: known })
  }

  async tokens(): Promise<StoredOAuthTokens | undefined> {
    return (await this.store.read(this.key))?.tokens as StoredOAuthTokens | undefined
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    const before = await this.tokens()
    // A refresh that brings no new refresh token leaves the old one in force (RFC 6749, section 6).
    const refresh = tokens.refresh_token ?? before?.refresh_token
    await this.#change({
      tokens: { ...tokens, ...(refresh === undefined ? {} : { refresh_token: refresh }) },
    })
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    if (!isOpenableUrl(url.href)) {
      const reason = 'the authorization page is neither https nor on this machine'
      throw faultError({ kind: 'unauthorized', reason })
    }
    const { access_token: access, refresh_token: refresh } = (await this.tokens()) ?? {}
    if (refresh !== undefined && !this.stepUp) {
      // The library turns to the user whenever a refresh fails. A token endpoint that is down is no reason for that:
      // a refresh token that the server does not take any more has been forgotten by now.
      const reason = 'the access token could not be refreshed; its server gives no answer'
      throw faultError({ kind: 'unsent', reason })
    }
    this.#callback?.close()
    this.#callback = await this.#listen(access)
    this.#page = url
    try {
      // It may have been stopped meanwhile.
      if (this.#stopped) throw faultError({ kind: 'unsent', reason: 'the adapter is stopped' })
      await this.#settings.authorize({ server: this.#server, url })
    } catch (error) {
      // Nobody was shown the page, so nobody comes back from it.
      this.giveUp()
      throw error
    }
  }

  /**
   * No user was asked for anything where it cannot listen, so it is no refusal: tried again soon, it finds the tokens that
   * who has the port got meanwhile, or the port free.
   */
  async #listen(access: string | undefined): Promise<Callback> {
    const redirect = new URL(this.redirectUrl)
    try {
      return await listenForCallback(redirect, this.#state)
    } catch (cause) {
      this.done()
      this.#lookLater(access)
      const why = (cause as NodeJS.ErrnoException).code ?? String(cause)
      const reason = `a user could not come back to ${redirect.origin} (${why}); another process may be authorizing there`
      throw faultError({ kind: 'unsent', reason })
    }
  }

  /** Until there is another access token than this: the next attempt may be a minute away. */
  #lookLater(access: string | undefined): void {
    clearTimeout(this.#look)
    if (this.#stopped) return
    this.#look = setTimeout(() => void this.#lookNow(access), lookMs).unref()
  }

  async #lookNow(access: string | undefined): Promise<void> {
    // A store that cannot be read is told by the next attempt.
    const now = (await this.tokens().catch(() => undefined))?.access_token
    if (now === undefined || now === access) this.#lookLater(access)
    else this.#stored()
  }

  /** What the browser brings back to the page shown last. */
  async answer(): Promise<{ readonly code: string; readonly iss: string | undefined }> {
    if (this.#callback === undefined) throw new Error('no page was shown')
    try {
      return await this.#callback.answer
    } finally {
      this.giveUp()
    }
  }

  giveUp(): void {
    this.#callback?.close()
    this.#callback = undefined
    this.#page = undefined
  }

  /** Nothing is shown to the user any more. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#look)
    this.giveUp()
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  codeVerifier(): string {
    return this.#verifier
  }

  /** Kept for the way back from the page alone: what a server says of itself later is asked for anew. */
  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#callback === undefined && this.#verifier === '' ? undefined : this.#discovery
  }

  /** Forgets the state of one authorization when it is over. */
  done(): void {
    this.#verifier = ''
    this.#discovery = undefined
  }

  async invalidateCredentials(
    scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery',
  ): Promise<void> {
    if (scope === 'verifier' || scope === 'all') this.#verifier = ''
    if (scope === 'discovery' || scope === 'all') this.#discovery = undefined
    const { client, tokens } = (await this.store.read(this.key)) ?? {}
    if (scope === 'tokens') await this.store.write(this.key, client === undefined ? {} : { client })
    if (scope === 'client') await this.store.write(this.key, tokens === undefined ? {} : { tokens })
    if (scope === 'all') await this.store.write(this.key, {})
  }

  async #change(part: Credentials): Promise<void> {
    await this.store.write(this.key, { ...(await this.store.read(this.key)), ...part })
  }
}
