import { InvalidOptionsError, type Ports } from '@callgate/spec'

import {
  anything,
  callable,
  count,
  countFromZero,
  duration,
  flag,
  leaf,
  positive,
  text,
  type Check,
  type Misfit,
} from './checks/check.ts'
import { listOf, mapOf, parts, pointer, shape } from './checks/shapes.ts'
import type { GatewayOptions, PolicyOptions } from './options.ts'
import { limitFields, texts } from './registry/definition-fields.ts'
import { isRecord } from './registry/read-data.ts'
import { builtInAdapters } from './registry/tool-entry.ts'

type Fields<T> = { readonly [K in keyof Required<T>]: Check }

/** An object of the caller's with these methods; whatever else it has is its own. */
function methods(...names: readonly string[]): Check {
  return parts(Object.fromEntries(names.map((name) => [name, callable])), names)
}

const tokens: Check = leaf(
  'a number of at least 0',
  (value) => typeof value === 'number' && value >= 0,
)

const boundless: Check = leaf(
  'a whole number of at least 1, or Infinity',
  (value) => value === Infinity || count(value) === undefined,
)

const policyFields = {
  roles: mapOf(shape({ tagsAllow: texts }, ['tagsAllow'])),
  risk: callable,
  limits: shape(limitFields),
  timeoutMs: duration,
  resultCapBytes: positive,
  resultCapTokens: positive,
  approvalTimeoutMs: duration,
  turnConcurrency: boundless,
  maxCallsPerTurn: boundless,
  maxReplans: countFromZero,
  splitFaultyBatches: flag,
  loops: flag,
  polls: texts,
  adapterConcurrency: mapOf(count),
  directUnderTokens: tokens,
  listingTokens: positive,
  contextTokens: positive,
  pinned: mapOf(text),
  pinDiscovered: flag,
} satisfies Fields<PolicyOptions>

const approvals = methods('put', 'decide', 'claim', 'withdraw', 'list', 'grant', 'granted')

const portFields = {
  clock: methods('now', 'setTimeout', 'clearTimeout'),
  ids: methods('next'),
  random: methods('next'),
  audit: methods('append'),
  statistics: methods('record'),
  approvals: (value) => approvals(value) ?? parts({ durable: flag }, ['durable'])(value),
  blobs: methods('open', 'read'),
} satisfies Fields<Ports>

const options: Check = shape({
  // Tools and adapters are looked at one by one where they are taken in.
  tools: listOf(anything),
  adapters: listOf(
    leaf(
      'an adapter that was called with its options, such as fileAdapter({ … })',
      isRecord,
      false,
    ),
  ),
  hooks: methods('on', 'declare', 'run', 'fire', 'has', 'list', 'idle'),
  policy: shape(policyFields),
  ports: shape(portFields),
  secrets: callable,
  log: methods('debug', 'info', 'warn', 'error'),
  approver: callable,
  ticketKey: leaf(
    'a text that is not empty',
    (value) => typeof value === 'string' && value !== '',
    false,
  ),
} satisfies Fields<GatewayOptions>)

/**
 * Refuses an option that does not fit, at any depth: a policy that is misspelt would be none.
 *
 * @throws InvalidOptionsError naming the option, as a JSON pointer in `where`.
 */
export function checkOptions(given: GatewayOptions): void {
  const misfit = options(given) ?? unknownAdapter(given)
  if (misfit !== undefined) throw refusal(misfit)
}

/** A limit for an adapter that is not there limits nothing. */
function unknownAdapter({ adapters = [], policy }: GatewayOptions): Misfit | undefined {
  const names = [...builtInAdapters, ...adapters.map(({ name }) => name)]
  const known = shape(Object.fromEntries(names.map((name) => [name, count])))
  return parts({ policy: parts({ adapterConcurrency: known }, []) }, [])({ policy })
}

function refusal({ path, got, fits, hint }: Misfit): InvalidOptionsError {
  return new InvalidOptionsError({
    rule: 'gateway-options',
    where: pointer(path),
    message: `createGateway: ${path.join('.') || 'options'} is ${got}; expected ${fits}.`,
    hint: hint ?? 'Correct this option, or leave it out.',
  })
}
