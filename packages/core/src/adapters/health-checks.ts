import type { AdapterInstance, Ports, ToolDefinition } from '@callgate/spec'

import { textOfThrown } from '../results/thrown.ts'
import type { Stop } from '../turn/stop.ts'
import { setIdleTimeout } from './idle-timeout.ts'
import { within } from './within.ts'

type HealthCheck = NonNullable<ToolDefinition['healthCheck']>
type Answer = Awaited<ReturnType<NonNullable<AdapterInstance['health']>>>

/** How a backend is, as its health checks say. */
export interface HealthMonitor {
  /** Why no call should be sent, after so many failed checks in a row; undefined while all is well. */
  readonly trouble: string | undefined
  /** To be told of each tool that wants checks, with its interval in milliseconds. */
  start(intervalMs: number): void
  stop(): void
}

/** Asks one adapter at the shortest interval that its tools declare (R10.1); without one it is never asked. */
export function createHealthMonitor(
  instance: AdapterInstance,
  declared: () => readonly HealthCheck[],
  { clock, stop }: { readonly clock: Ports['clock']; readonly stop: Stop },
  onChange: (down: string | undefined) => void,
): HealthMonitor {
  let failures = 0
  let trouble: string | undefined
  let timer: unknown
  /** When the timer ends; while the backend is asked, when it ended. */
  let dueAt = 0

  async function ask({ timeoutMs }: HealthCheck): Promise<string | undefined> {
    try {
      const bounds = { what: 'its answer', ms: timeoutMs, clock, stop }
      // Who answers with nothing has answered.
      const health: Answer | undefined = await within(bounds, (signal) => instance.health!(signal))
      return health?.state === 'down' ? (health.reason ?? 'no reason given') : undefined
    } catch (error) {
      return textOfThrown(error)
    }
  }

  async function check(settings: HealthCheck): Promise<void> {
    const reason = await ask(settings)
    if (timer === undefined) return
    // Where no tool wants checks any more, nothing would ever take its trouble away.
    failures = arm() && reason !== undefined ? failures + 1 : 0
    const wasWell = trouble === undefined
    trouble = failures >= settings.unhealthyThreshold ? reason : undefined
    if (wasWell !== (trouble === undefined)) onChange(trouble)
  }

  /** Gives whether there is a next check. */
  function arm(): boolean {
    timer = undefined
    const [settings] = declared().toSorted((a, b) => a.intervalMs - b.intervalMs)
    if (settings === undefined || instance.health === undefined) return false
    dueAt = clock.now() + settings.intervalMs
    timer = setIdleTimeout(clock, () => void check(settings), settings.intervalMs)
    return true
  }

  function stopTimer(): void {
    if (timer !== undefined) clock.clearTimeout(timer)
    timer = undefined
  }

  return {
    get trouble() {
      return trouble
    },
    start(intervalMs) {
      // A second start must not ask twice as often; but who wants to know sooner does not wait for the others.
      if (timer !== undefined && clock.now() + intervalMs >= dueAt) return
      stopTimer()
      arm()
    },
    stop: stopTimer,
  }
}
