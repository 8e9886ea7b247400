import { setTimeout } from 'node:timers/promises'

import type { McpAdapter } from '@callgate/adapter-mcp'
import type { AdapterHealth } from '@callgate/core'
import { CallgateError } from '@callgate/spec'

import type { ServerStarts, StartableServers } from './mcp-servers.ts'
import { sentence, singleLine } from './report/error-line.ts'
import { leftOutOf, ownReason, troublesOf, type ServerTrouble } from './server-troubles.ts'

const pollMs = 100
/** A server that is ended at its limit needs a moment to be gone. */
const graceMs = 3000

/**
 * Waits until no server is starting any more: each is ready, has failed, or has used up its time. Says once on stderr
 * which it waits for, and at once which of them failed while others are still starting. None is ended in the middle of
 * its start but by the signal.
 */
export async function awaitServers(
  { adapter, starts }: StartableServers,
  signal: AbortSignal,
): Promise<void> {
  const first = startingOf(adapter)
  if (first.length === 0) return
  const longestMs = Math.max(...first.map((name) => starts[name]?.limitMs ?? 0))
  const list = first.map((name) => `${name} (${starts[name]?.shown ?? name})`).join(', ')
  console.error(
    singleLine(`waiting up to ${Math.ceil(longestMs / 1000)} s for MCP servers: ${list}`),
  )
  const told = new Set<string>()
  const until = performance.now() + longestMs + graceMs
  /* oxlint-disable no-await-in-loop -- it asks again and again */
  while (performance.now() < until && !signal.aborted) {
    if (startingOf(adapter).length === 0) break
    tellFailed(adapter, told)
    await setTimeout(pollMs, undefined, { signal }).catch(() => undefined)
  }
  /* oxlint-enable no-await-in-loop */
}

/** Says on stderr, once for each, which servers failed. */
function tellFailed(adapter: McpAdapter, told: Set<string>): void {
  for (const trouble of troublesOf(adapter)) {
    if (trouble.why === 'starting' || told.has(trouble.name)) continue
    told.add(trouble.name)
    console.error(singleLine(`not there: ${shownTrouble(trouble)}`))
  }
}

/** @throws CallgateError `backend_unavailable` naming what is not there, why, and what may help. */
export function checkHealth(
  health: readonly AdapterHealth[],
  mcp: StartableServers | undefined,
): void {
  const down = health.find((each) => ownReason(each) !== '')
  if (down !== undefined) throw unavailable(down, mcp)
}

/** Says on stderr which tools an adapter had to leave out. */
export function tellLeftOut(health: readonly AdapterHealth[]): void {
  for (const each of health) {
    const leftOut = leftOutOf(each)
    if (leftOut !== undefined) console.error(singleLine(`warning: ${each.adapter}: ${leftOut}`))
  }
}

function unavailable(down: AdapterHealth, mcp: StartableServers | undefined): CallgateError {
  const servers = down.adapter === mcp?.adapter.name ? troublesOf(mcp.adapter) : []
  const about = { code: 'backend_unavailable', rule: 'adapter', where: down.adapter } as const
  if (servers.length === 0) {
    return new CallgateError({
      ...about,
      message: sentence(`The adapter "${down.adapter}" is ${down.state}: ${ownReason(down)}`),
      hint: 'Check that its command or address is right and that it runs by itself.',
    })
  }
  return new CallgateError({
    ...about,
    message: sentence(`MCP servers are not there: ${servers.map(shownTrouble).join('; ')}`),
    hint: hintFor(servers, mcp?.starts ?? {}),
  })
}

function shownTrouble({ name, why }: ServerTrouble): string {
  return `${name}: ${why.replace(/\.$/, '')}`
}

/** Those that were never ready nor failed. */
function startingOf(adapter: McpAdapter): readonly string[] {
  return troublesOf(adapter)
    .filter(({ why }) => why === 'starting')
    .map(({ name }) => name)
}

function hintFor(troubles: readonly ServerTrouble[], starts: ServerStarts): string {
  const [{ name, why }] = troubles as readonly [ServerTrouble]
  const { shown } = starts[name]!
  if (/^https?:/.test(shown) && /\bstatus 40[13]\b/.test(why)) {
    return `Check the headers of "${name}": its credentials are missing, or not the right ones.`
  }
  if (/^https?:/.test(shown)) return `Check that ${shown} is right and can be reached.`
  if (why.startsWith('connect E')) return `Check that a server listens at ${shown}.`
  if (/^the folder .* was not found/.test(why)) return `Give "${name}" a cwd that is there.`
  if (/not found/i.test(why)) {
    return `Check that the command \`${shown}\` is spelled right and installed.`
  }
  if (why === 'starting' || why.startsWith('not ready within')) {
    return `Its package may still be installing: run \`${shown}\` by hand until it is there, or give it more time with timeout_seconds, then run this again.`
  }
  return `Run \`${shown}\` by hand to see what it says.`
}
