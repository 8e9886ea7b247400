import type { AdapterHost } from '@callgate/spec'

import type { McpOptions } from '../options.ts'
import { abortable } from './abortable.ts'
import type { RunningServer } from './running-server.ts'

const defaultConcurrency = 8
const defaultWaitMs = 5000

/**
 * Starts servers, several at a time, so that the slowest one decides and not the sum; one that hangs holds up none. A server that fails fails
 * alone; one that is slow is not waited for beyond `startWaitMs`: its tools come when it does. Nor is one waited for
 * whose tools are known from an earlier run; where it is lazy, it is not even started.
 */
export async function startAll(
  servers: readonly RunningServer[],
  options: McpOptions,
  host: AdapterHost,
  signal: AbortSignal,
): Promise<void> {
  const restored = await Promise.all(servers.map((server) => server.restore()))
  const known = servers.filter((server, at) => restored[at] === true && server.config.lazy !== true)
  const unknown = servers.filter((_, at) => restored[at] !== true)
  const ending = new AbortController()
  let waited = true
  const limited = limiter(options.startConcurrency ?? defaultConcurrency)
  const start = (server: RunningServer): Promise<void> =>
    limited(async () => {
      await server.start(ending.signal)
      if (!waited && server.connection !== undefined) host.toolsChanged()
    })
  const started = Promise.all(unknown.map(start))
  for (const server of known) void start(server)
  const late = AbortSignal.timeout(options.startWaitMs ?? defaultWaitMs)
  try {
    await abortable(started, AbortSignal.any([signal, late]))
  } catch (error) {
    if (!signal.aborted) return
    ending.abort(signal.reason)
    throw error
  } finally {
    waited = false
  }
}

/** A start that takes longer waits for something else than the processor, and keeps none of the others. */
const slotMs = 250

/** Lets so many begin at the same time, in the order in which they come; each holds its place for a while at most. */
function limiter(width: number): (run: () => Promise<void>) => Promise<void> {
  let free = width
  const queue: (() => void)[] = []
  return async (run) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => queue.push(resolve))
    let held = true
    const release = (): void => {
      if (!held) return
      held = false
      const next = queue.shift()
      if (next === undefined) free += 1
      else next()
    }
    const timer = setTimeout(release, slotMs)
    try {
      await run()
    } finally {
      clearTimeout(timer)
      release()
    }
  }
}
