import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type PriorDiscovery,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/client'

import type { Channel } from '../channel/channel.ts'
import { faultError } from '../http/status.ts'
import { isRecord } from '../record.ts'
import { tasksExtension } from './task-extension.ts'

/** The revision without a handshake. */
const modernVersion = '2026-07-28'

export interface Self {
  readonly clientInfo: { readonly name: string; readonly version: string }
  readonly capabilities: ClientCapabilities
}

/** What every message of the modern revision says about its sender. */
export function envelopeOf(self: Self): Readonly<Record<string, unknown>> {
  return {
    [PROTOCOL_VERSION_META_KEY]: modernVersion,
    [CLIENT_INFO_META_KEY]: self.clientInfo,
    [CLIENT_CAPABILITIES_META_KEY]: {
      ...self.capabilities,
      // Changes of the roots are not told without a handshake: the server asks when it wants them.
      ...(self.capabilities.roots === undefined ? {} : { roots: {} }),
      extensions: { [tasksExtension]: {} },
    },
  }
}

/**
 * Finds out which era a server speaks. It is asked once, for a short time; every other outcome than a modern answer
 * means the older handshake, except where nothing could be reached or the server wants credentials first.
 */
export async function negotiate(
  channel: Channel,
  era: 'auto' | 'modern' | '2025',
  self: Self,
  probeMs: number,
  signal: AbortSignal,
): Promise<PriorDiscovery> {
  if (era === '2025') return { kind: 'legacy' }
  const reply = await channel.request(
    'server/discover',
    { _meta: { ...envelopeOf(self) } },
    { idleMs: probeMs, totalMs: probeMs, humanMs: probeMs, signal },
  )
  if ('result' in reply && isModern(reply.result)) {
    return { kind: 'modern', discover: reply.result as never }
  }
  if ('fault' in reply) {
    const { fault } = reply
    const refused = fault.kind === 'http' && (fault.status === 401 || fault.status === 403)
    if (refused || ['unsent', 'unauthorized', 'aborted'].includes(fault.kind))
      throw faultError(fault)
  }
  // Told to be modern: a server that does not describe itself is taken at the operator's word.
  return era === 'modern'
    ? {
        kind: 'modern',
        discover: { supportedVersions: [modernVersion], capabilities: { tools: {} } } as never,
      }
    : { kind: 'legacy' }
}

function isModern(result: unknown): boolean {
  if (!isRecord(result)) return false
  const versions = result['supportedVersions']
  return (
    Array.isArray(versions) && versions.includes(modernVersion) && isRecord(result['capabilities'])
  )
}
