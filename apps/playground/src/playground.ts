import {
  createGateway,
  memoryAudit,
  type Gateway,
  type GatewayOptions,
  type MemoryAudit,
} from '@callgate/core'
import { writeResults, writeTurn } from '@callgate/interop'
import { CallgateError, type AssistantTurn, type ToolResult } from '@callgate/spec'

import type { RecordedTurn } from './turn-file.ts'

/** A gateway with its audit at hand, and what has to be put away with it. */
export interface Playground {
  readonly gateway: Gateway
  readonly audit: MemoryAudit
  close(): Promise<void>
}

/** What came of playing one assistant message. */
export interface Played {
  readonly provider: RecordedTurn['provider']
  readonly before: AssistantTurn
  readonly after: AssistantTurn
  readonly results: readonly ToolResult[]
  readonly audit: readonly object[]
  /** The messages that would be sent to the provider: the assistant message as stored, then the results. */
  readonly messages: readonly unknown[]
}

/**
 * Makes a gateway and starts it.
 *
 * @throws CallgateError `backend_unavailable` naming the first adapter that is not there.
 */
export async function openPlayground(options: GatewayOptions): Promise<Playground> {
  const audit = memoryAudit()
  const gateway = createGateway({ ...options, ports: { ...options.ports, audit } })
  await gateway.start()
  const down = (await gateway.health()).find(({ state }) => state !== 'ok')
  if (down !== undefined) {
    await gateway.close()
    throw new CallgateError({
      code: 'backend_unavailable',
      rule: 'adapter',
      where: down.adapter,
      message: `The adapter "${down.adapter}" is ${down.state}: ${down.reason ?? 'no reason given'}`,
      hint: 'Check that its command or address is right and that it runs by itself.',
    })
  }
  return { gateway, audit, close: () => gateway.close() }
}

/** Plays one recorded assistant message of any provider. */
export async function play(
  { gateway, audit }: Playground,
  { message, provider, turn: before }: RecordedTurn,
  signal: AbortSignal,
): Promise<Played> {
  const { turn: after, results } = await gateway.runTurn(before, {
    sessionId: 'playground',
    signal,
  })
  return {
    provider,
    before,
    after,
    results,
    audit: audit.entries(),
    // A message of OpenAI responses is a list of items.
    messages: [[writeTurn(after, provider, message)], writeResults(results, provider)].flat(2),
  }
}
