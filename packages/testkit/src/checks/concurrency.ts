import type { Outcome } from '../host/invocation.ts'
import { faultOfFailure, faultOfSuccess } from '../host/judge.ts'
import { withRunning, type Running } from '../host/running.ts'
import { fail } from '../measure/expect.ts'
import type { Fixture, Fixtures } from '../suite/options.ts'
import type { Check } from './check.ts'

const calls = 20

export const concurrency: Check = {
  name: 'concurrency',
  title: `${calls} calls at the same time do not mix their results`,
  async run(subject) {
    const { fixtures } = subject.options
    await withRunning(subject, async (running) => {
      const sound = await soundAlone(running, fixtures)
      if (sound.length === 0) return
      const cases = Array.from({ length: calls }, (_, index) => sound[index % sound.length]!)
      const outcomes = await Promise.all(cases.map(({ fixture }) => running.call(fixture).outcome))
      for (const [index, { fault }] of cases.entries()) {
        const found = fault(outcomes[index]!)
        if (found !== undefined) fail(`Among ${calls} calls, call ${index + 1}: ${found}`)
      }
    })
  },
}

interface Case {
  readonly fixture: Fixture
  readonly fault: (outcome: Outcome) => string | undefined
}

/** The fixtures whose outcome is right when they run alone; the others are the business of `ok` and `fails`. */
async function soundAlone(running: Running, fixtures: Fixtures): Promise<readonly Case[]> {
  const { ok, fails, concurrent } = fixtures
  const cases: Case[] = (concurrent ?? [ok]).map((fixture) => ({
    fixture,
    fault: (outcome) => faultOfSuccess(fixture, outcome),
  }))
  if (concurrent === undefined) {
    cases.push({ fixture: fails, fault: (outcome) => faultOfFailure(fails, outcome) })
  }
  const sound: Case[] = []
  for (const each of cases) {
    // oxlint-disable-next-line no-await-in-loop -- alone means one after the other
    if (each.fault(await running.call(each.fixture).outcome) === undefined) sound.push(each)
  }
  return sound
}
