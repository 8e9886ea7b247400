import type { Invocation } from '../host/invocation.ts'
import { fail, show } from '../measure/expect.ts'
import { isLate, within } from '../measure/within.ts'
import type { Fixture } from '../suite/options.ts'

/** How long a call may take to reach its backend where no progress tells. */
const reachMs = 150

/** Waits until a slow call runs: until its first progress, or for a while. Fails when it ends by itself. */
export async function untilInFlight(call: Invocation, fixture: Fixture): Promise<void> {
  const ended = await within(Promise.race([call.begun, call.outcome]), reachMs)
  if (ended === undefined || isLate(ended)) return
  const how = ended.ok ? 'with an output' : `throwing ${show(ended.error)}`
  fail(`The slow fixture "${fixture.tool}" ended by itself, ${how}; it must take five seconds.`)
}
