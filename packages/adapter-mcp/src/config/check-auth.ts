import { isLoopback } from '../callbacks/url.ts'
import type { JsonRecord } from '../record.ts'
import { refusal, requireFunctions } from './refusal.ts'

/** Fields of each way to authorize, and those without which it cannot. */
const ways: {
  readonly [kind: string]: {
    readonly needs: readonly string[]
    readonly may: readonly string[]
  }
} = {
  oauth: {
    needs: ['authorize'],
    may: [
      'clientId',
      'clientSecret',
      'clientMetadataUrl',
      'scope',
      'redirectUrl',
      'store',
      'dpop',
      'skipIssuerValidation',
    ],
  },
  'client-credentials': {
    needs: ['clientId'],
    may: ['clientSecret', 'privateKey', 'algorithm', 'scope'],
  },
  provider: { needs: ['provider'], may: [] },
}

/** Refuses an authorization that is incomplete or contradicts itself. @throws InvalidOptionsError */
export function checkAuth(name: string, server: JsonRecord, where: string): void {
  const auth = server['auth'] as JsonRecord
  const place = `${where}/auth`
  const kind = String(auth['kind'])
  const way = Object.hasOwn(ways, kind) ? ways[kind] : undefined
  if (way === undefined) {
    const known = Object.keys(ways).join(', ')
    throw faulty(name, `${place}/kind`, `is of the kind "${kind}"`, `Use one of ${known}.`)
  }
  const missing = way.needs.find((field) => auth[field] === undefined)
  if (missing !== undefined) {
    throw faulty(name, place, `has no "${missing}"`, `Give "${missing}".`)
  }
  const fields = ['kind', ...way.needs, ...way.may]
  const unknown = Object.keys(auth).find((field) => !fields.includes(field))
  if (unknown !== undefined) {
    const hint = `Leave it out; it may have ${fields.join(', ')}.`
    throw faulty(name, `${place}/${unknown}`, `is "${kind}", which has no "${unknown}"`, hint)
  }
  checkFixedKey(name, server, place)
  if (kind === 'oauth') checkOauth(name, auth, place)
  else if (kind === 'provider') {
    requireFunctions(auth['provider'], ['tokens', 'clientInformation'], `${place}/provider`)
  } else checkClientCredentials(name, auth, place)
}

/** A fixed key beside an authorization would hide which of the two a server refuses. */
function checkFixedKey(name: string, { headers }: JsonRecord, place: string): void {
  if (typeof headers !== 'object' || headers === null) return
  if (!Object.keys(headers).some((key) => key.toLowerCase() === 'authorization')) return
  throw refusal(
    'mcp-two-credentials',
    place,
    `MCP server "${name}" has both an Authorization header and auth.`,
    'Keep one of them.',
  )
}

function checkOauth(name: string, auth: JsonRecord, place: string): void {
  const { authorize, store, redirectUrl, clientId, clientSecret } = auth
  if (typeof authorize !== 'function') {
    const hint = 'Give a function that shows the page to the user.'
    throw faulty(name, `${place}/authorize`, 'has an "authorize" that is no function', hint)
  }
  if (store !== undefined) requireFunctions(store, ['read', 'write', 'exclusive'], `${place}/store`)
  if (clientSecret !== undefined && clientId === undefined) {
    const hint = 'Give the clientId that the secret belongs to.'
    throw faulty(name, `${place}/clientSecret`, 'has a clientSecret without a clientId', hint)
  }
  if (redirectUrl !== undefined && !isOwnAddress(redirectUrl)) {
    const hint = 'Use an http address of this machine, such as http://127.0.0.1:23110/callback.'
    const why = 'has a redirectUrl that is not on this machine'
    throw faulty(name, `${place}/redirectUrl`, why, hint)
  }
}

function checkClientCredentials(name: string, auth: JsonRecord, place: string): void {
  const { clientSecret, privateKey, algorithm } = auth
  if ((clientSecret === undefined) === (privateKey === undefined)) {
    const what = clientSecret === undefined ? 'neither' : 'both'
    const hint = 'Give one of them.'
    throw faulty(name, place, `has ${what} of clientSecret and privateKey`, hint)
  }
  if (algorithm !== undefined && privateKey === undefined) {
    const hint = 'Leave the algorithm out: it is that of a signature by the privateKey.'
    throw faulty(name, `${place}/algorithm`, 'has an algorithm and no privateKey', hint)
  }
}

function isOwnAddress(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { protocol, hostname } = new URL(value)
  return protocol === 'http:' && isLoopback(hostname)
}

function faulty(name: string, where: string, what: string, hint: string): Error {
  return refusal('mcp-auth', where, `The auth of MCP server "${name}" ${what}.`, hint)
}
