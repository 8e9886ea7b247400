import { Buffer } from 'node:buffer'

import { formsInJson, redactJson } from './redact-json.ts'
import { redact } from './redact.ts'

const carriesCredential = /authorization$|^x-auth$|cookie|token|secret|passw|credential|key$/i
const scheme = /^(?:basic|bearer|dpop|token|api-?key) +/i

/** As in the gateway: a shorter one would be found in harmless text everywhere. */
const shortest = 8
/** Cookies hold words, too. */
const shortestInCookie = 16
/** Tokens come and go; these many were used last. */
const most = 16

/**
 * What a server was sent to know its user by: tokens, and values of headers. The host knows none of them, so they are
 * taken out here of what the server says (R11).
 */
export class Credentials {
  /** The last one used at the end; with the part of each that stays as it is in JSON within JSON. */
  readonly #known = new Map<string, string>()

  get known(): Iterable<string> {
    return this.#known.keys()
  }

  learn(credential: string): void {
    if (credential.length < shortest) return
    const plain = this.#known.get(credential) ?? longestPlain(credential)
    this.#known.delete(credential)
    this.#known.set(credential, plain)
    const [oldest] = this.#known.keys()
    if (this.#known.size > most && oldest !== undefined) this.#known.delete(oldest)
  }

  /** Of the headers of a request, those that carry a credential by their name; without the word for its scheme. */
  learnHeaders(headers: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(headers)) {
      if (carriesCredential.test(name)) for (const each of partsOf(name, value)) this.learn(each)
    }
  }

  /** A text without them. */
  text(text: string): string {
    return redact(text, formsInJson(this.known))
  }

  /** The value of a JSON text, without them. @throws SyntaxError */
  parse(json: string): unknown {
    const value: unknown = JSON.parse(json)
    for (const plain of this.#known.values()) {
      if (json.includes(plain)) return redactJson({ value }, new Set(this.known)).value
    }
    return value
  }
}

function longestPlain(credential: string): string {
  const parts = credential.split(/[^\w.~+=-]/)
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest))
}

function partsOf(name: string, value: string): readonly string[] {
  if (/cookie/i.test(name)) {
    const values = value.split(/; */).map((pair) => pair.slice(pair.indexOf('=') + 1))
    return [value, ...values.filter(({ length }) => length >= shortestInCookie)]
  }
  const bare = value.replace(/authorization$/i.test(name) ? /^[\w-]+ +/ : scheme, '')
  if (!/^basic /i.test(value)) return [bare]
  const pair = Buffer.from(bare, 'base64').toString()
  return [bare, pair, pair.slice(pair.indexOf(':') + 1)]
}
