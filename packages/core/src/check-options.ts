import { InvalidOptionsError } from '@callgate/spec'

import type { GatewayOptions } from './options.ts'

const known: ReadonlySet<string> = new Set([
  'tools',
  'adapters',
  'hooks',
  'policy',
  'ports',
  'secrets',
  'log',
  'approver',
  'ticketKey',
] satisfies (keyof GatewayOptions)[])

/** @throws InvalidOptionsError naming the option that does not fit. */
export function checkOptions(options: GatewayOptions): void {
  if (typeof options !== 'object' || options === null)
    refuse('options', typeof options, 'an object')
  for (const key of Object.keys(options)) {
    if (!known.has(key)) refuse(key, 'unknown', `one of ${[...known].join(', ')}`)
  }
  for (const key of ['tools', 'adapters'] as const) {
    if (options[key] !== undefined && !Array.isArray(options[key]))
      refuse(key, typeof options[key], 'a list')
  }
  for (const key of ['secrets', 'approver'] as const) {
    if (options[key] !== undefined && typeof options[key] !== 'function') {
      refuse(key, typeof options[key], 'a function')
    }
  }
  const numbers = [
    'timeoutMs',
    'resultCapBytes',
    'resultCapTokens',
    'approvalTimeoutMs',
    'turnConcurrency',
    'listingTokens',
    'contextTokens',
    'maxCallsPerTurn',
  ] as const
  for (const key of numbers) {
    const value = options.policy?.[key]
    if (value !== undefined && !(value > 0))
      refuse(`policy.${key}`, String(value), 'a number over 0')
  }
}

function refuse(where: string, got: string, fits: string): never {
  throw new InvalidOptionsError({
    rule: 'gateway-options',
    where,
    message: `createGateway: ${where} is ${got}; expected ${fits}.`,
  })
}
