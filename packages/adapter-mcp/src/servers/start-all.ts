import type { AdapterHost } from '@callgate/spec'

import type { McpOptions } from '../options.ts'
import { abortable } from './abortable.ts'
import type { RunningServer } from './running-server.ts'

const defaultConcurrency = 6
const defaultWaitMs = 5000

/**
 * Starts servers, several at a time, so that the slowest one decides and not the sum. A server that fails fails
 * alone; one that is slow is not waited for beyond `startWaitMs`: its tools come when it does.
 */
export async function startAll(
  servers: readonly RunningServer[],
  options: McpOptions,
  host: AdapterHost,
  signal: AbortSignal,
): Promise<void> {
  const waiting = [...servers]
  const ending = new AbortController()
  let waited = true
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other is what a worker does
      await next.start(ending.signal)
      if (!waited && next.connection !== undefined) host.toolsChanged()
    }
  }
  const workers = Array.from({ length: options.startConcurrency ?? defaultConcurrency }, worker)
  const late = AbortSignal.timeout(options.startWaitMs ?? defaultWaitMs)
  try {
    await abortable(Promise.all(workers), AbortSignal.any([signal, late]))
  } catch (error) {
    if (!signal.aborted) return
    ending.abort(signal.reason)
    throw error
  } finally {
    waited = false
  }
}
