import {
  createGateway,
  memoryAudit,
  type Gateway,
  type GatewayOptions,
  type MemoryAudit,
} from '@callgate/core'
import { writeResults, writeTurn } from '@callgate/interop'
import type { AssistantTurn, ToolResult } from '@callgate/spec'

import { awaitServers, checkHealth, tellLeftOut } from './await-servers.ts'
import type { StartableServers } from './mcp-servers.ts'
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

/** A gateway to be, and the servers that its start has to wait for. */
export interface Setup {
  readonly options: GatewayOptions
  readonly mcp: StartableServers | undefined
  /** Of a setup that a file describes. */
  readonly file?: {
    /** Throws where a secret or a file that it names is not there or cannot be used. */
    checkNeeds(): Promise<void>
    /** The same error with its place in the file, where it has one. */
    placed(error: unknown): unknown
  }
}

/**
 * Makes a gateway and starts it; waits for servers as long as each of them may take.
 *
 * @throws CallgateError `invalid_arguments` for a configuration that does not fit, `backend_unavailable` naming what is
 * not there; the reason of the signal once that is aborted.
 */
export async function openPlayground(
  { options, mcp, file }: Setup,
  signal: AbortSignal,
): Promise<Playground> {
  const audit = memoryAudit()
  const gateway = create({ ...options, ports: { ...options.ports, audit } }, file)
  try {
    await file?.checkNeeds()
    await unlessStopped(gateway.start(), signal)
    // Nobody waits for servers where something else is missing.
    const started = await gateway.health()
    checkHealth(
      started.filter(({ adapter }) => adapter !== mcp?.adapter.name),
      mcp,
    )
    if (mcp !== undefined) await awaitServers(mcp, signal)
    signal.throwIfAborted()
    const health = await gateway.health()
    checkHealth(health, mcp)
    tellLeftOut(health)
  } catch (error) {
    await gateway.close()
    throw error
  }
  return { gateway, audit, close: () => gateway.close() }
}

function create(options: GatewayOptions, file: Setup['file']): Gateway {
  try {
    return createGateway(options)
  } catch (error) {
    throw file?.placed(error) ?? error
  }
}

/** A start may wait long for a document that does not come; closing the gateway then ends it. */
async function unlessStopped(start: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: stopped, resolve } = Promise.withResolvers<unknown>()
  if (signal.aborted) resolve(undefined)
  signal.addEventListener('abort', resolve, { once: true })
  await Promise.race([start, stopped])
  signal.throwIfAborted()
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
