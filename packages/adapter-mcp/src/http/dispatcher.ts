import process from 'node:process'

import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici'

/** What a server's certificate is checked with, and the client's own: PEM. */
export interface TlsMaterial {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

/** Connections that are kept, over the proxies of the environment where there are such; no time limits of its own. */
export function createDispatcher(tls: TlsMaterial): Dispatcher {
  const settings = {
    allowH2: false,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { ...tls },
    requestTls: { ...tls },
  }
  const proxied = ['http_proxy', 'https_proxy'].some(
    (name) => Boolean(process.env[name]) || Boolean(process.env[name.toUpperCase()]),
  )
  return proxied ? new EnvHttpProxyAgent(settings) : new Agent(settings)
}
