import { ToolError } from '@callgate/spec'

import type { Outcome } from '../host/invocation.ts'
import { withRunning, type Subject } from '../host/running.ts'
import { faultOfFacts } from '../host/thrown-facts.ts'
import { check, fail, show } from '../measure/expect.ts'
import { isLate, within, type Late } from '../measure/within.ts'
import type { Check } from './check.ts'
import { untilInFlight } from './in-flight.ts'

const limitMs = 1000

export const cancel: Check = {
  name: 'cancel',
  title: 'an abort settles within a second',
  claim: 'cancel',
  async run(subject) {
    await abortSlow(subject, (outcome) => {
      check(!isLate(outcome), `The call had no outcome ${limitMs} ms after its signal was aborted.`)
    })
  },
}

export const cancelEffect: Check = {
  name: 'cancel-effect',
  title: 'an aborted call says what is known of its effect',
  claim: 'cancel',
  async run(subject) {
    await abortSlow(subject, (outcome, begun) => {
      // How soon it settles is the business of the check `cancel`.
      if (isLate(outcome)) return
      check(!outcome.ok, 'The aborted call gave an output; nobody learns that it was cut short.')
      const { error } = outcome
      check(ToolError.isInstance(error), `It threw ${show(error)}; expected a ToolError.`)
      const fault = faultOfFacts(error)
      if (fault !== undefined) fail(`It threw a ToolError with ${fault}.`)
      check(
        !begun || error.started !== 'no',
        'It reported progress and then said that nothing had started.',
      )
    })
  },
}

async function abortSlow(
  subject: Subject,
  judge: (outcome: Outcome | Late, begun: boolean) => void,
): Promise<void> {
  const { slow } = subject.options.fixtures
  await withRunning(subject, async ({ call }) => {
    const run = call(slow)
    await untilInFlight(run, slow)
    const begun = run.progress.length > 0
    run.abort()
    judge(await within(run.outcome, limitMs), begun)
  })
}
