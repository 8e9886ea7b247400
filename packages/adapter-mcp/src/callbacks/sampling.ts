import type { AdapterHost } from '@callgate/spec'
import { ProtocolError } from '@modelcontextprotocol/client'

import type { SamplingLimits } from '../options.ts'
import type { JsonRecord } from '../record.ts'
import type { Answerer } from './callbacks.ts'
import type { SamplingHandler } from './types.ts'

const invalidParams = -32_602
const windowMs = 60_000

/** What one server spent lately. */
interface Spent {
  running: number
  /** When, and how many tokens. */
  recent: { readonly at: number; readonly tokens: number }[]
}

/**
 * Puts a server's request for a completion to the host's handler, within a budget for each server: one in a loop must
 * not spend the host's tokens, nor those of the others. A request with tools is refused, for none is offered.
 */
export function createSampling(
  handler: SamplingHandler,
  limits: SamplingLimits = {},
  host: AdapterHost,
): Answerer {
  const { perMinute = 30, atOnce = 4, maxTokens = 4096, tokensPerMinute = 50_000 } = limits
  const byServer = new Map<string, Spent>()

  function spentBy(server: string): Spent {
    const known = byServer.get(server) ?? { running: 0, recent: [] }
    const now = Date.now()
    known.recent = known.recent.filter(({ at }) => now - at < windowMs)
    byServer.set(server, known)
    return known
  }

  return async (server, params, signal) => {
    if (params['tools'] !== undefined || params['toolChoice'] !== undefined) {
      throw new ProtocolError(invalidParams, 'The client offers no tools for completions.')
    }
    const spent = spentBy(server)
    const tokens = Math.min(wantedTokens(params) ?? maxTokens, maxTokens)
    const inWindow = spent.recent.reduce((sum, each) => sum + each.tokens, 0)
    const over =
      spent.recent.length >= perMinute ||
      spent.running >= atOnce ||
      inWindow + tokens > tokensPerMinute
    if (over) {
      host.log.warn('mcp: a server asks for too many completions', { server })
      throw new Error('Too many completions were asked for.')
    }
    spent.recent.push({ at: Date.now(), tokens })
    spent.running += 1
    try {
      return await handler({ server, params: { ...params, maxTokens: tokens }, signal })
    } finally {
      spent.running -= 1
    }
  }
}

function wantedTokens({ maxTokens }: JsonRecord): number | undefined {
  return typeof maxTokens === 'number' && maxTokens > 0 ? maxTokens : undefined
}
