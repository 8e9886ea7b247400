import type { Authorizer } from '../auth/authorizer.ts'
import { createAuthorizer } from '../auth/create.ts'
import type { ConnectParts } from '../connect/connect.ts'
import type { McpServer } from '../options.ts'
import { cleanText } from '../text/clean.ts'
import { Credentials } from '../text/credentials.ts'
import { formsInJson, redactJson } from '../text/redact-json.ts'
import { redact } from '../text/redact.ts'
import type { Shared } from './running-server.ts'

/** What outlives the connections of a server: its secrets, its credentials and its authorizer. */
export class ServerKeys {
  /** Secrets that were put in, for what is logged. */
  readonly #secrets = new Set<string>()
  readonly #credentials = new Credentials()
  #authorizer: Authorizer | undefined

  /** The page where a user is waited for, without its parameters, which are nobody's. */
  get page(): string | undefined {
    const page = this.#authorizer?.waitingAt
    return page === undefined ? undefined : `${page.origin}${page.pathname}`
  }

  /** A text of the server as it may be shown: a server may repeat what it was sent, in an error or in its list. */
  shown(text: string): string {
    return this.#credentials.text(redact(cleanText(text), formsInJson(this.#secrets)))
  }

  stop(): void {
    this.#authorizer?.stop()
  }

  /** What its connections are made of; `authorized` is called when there are tokens that this process could not get before. */
  partsOf(
    server: string,
    config: McpServer,
    { host, clientInfo, callbacks }: Pick<Shared, 'host' | 'clientInfo' | 'callbacks'>,
    authorized: () => void,
  ): Omit<ConnectParts, 'events' | 'withinMs'> {
    const { log } = host
    const credentials = this.#credentials
    const debug: ConnectParts['debug'] = (message, fields) => {
      if (config.debug === true) log.debug(message, fields)
    }
    const frame: ConnectParts['frame'] = (direction, message) => {
      const secrets = new Set([...this.#secrets, ...credentials.known])
      log.debug(`mcp: ${direction}`, { server, message: redactJson(message, secrets) })
    }
    return {
      server,
      clientInfo,
      callbacks,
      log,
      memory: { foundAt: 0 },
      secret: (secret) => {
        const value = host.secret(secret)
        this.#secrets.add(value)
        return value
      },
      authorizer: (url, fill) => {
        if (config.url !== undefined)
          this.#authorizer ??= createAuthorizer(server, config, url, fill, credentials, authorized)
        return this.#authorizer
      },
      credentials,
      debug,
      ...(config.debug === true ? { frame } : {}),
    }
  }
}
