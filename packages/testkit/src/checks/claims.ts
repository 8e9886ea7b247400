import { ToolError, type AdapterOutput, type ToolErrorInit } from '@callgate/spec'

import type { Outcome } from '../host/invocation.ts'
import { batchContext } from '../host/invocation.ts'
import { faultOfFailure, faultOfSuccess } from '../host/judge.ts'
import { withRunning } from '../host/running.ts'
import { faultOfFacts } from '../host/thrown-facts.ts'
import { check, fail, show } from '../measure/expect.ts'
import { isLate, within } from '../measure/within.ts'
import type { Fixture } from '../suite/options.ts'
import type { Check } from './check.ts'

export const progress: Check = {
  name: 'progress',
  title: 'progress arrives while the call runs, and never goes back',
  claim: 'progress',
  async run(subject) {
    const { progress: fixture } = subject.options.fixtures
    if (fixture === undefined) {
      fail(
        'It claims progress, and there is no fixture that shows it. Give one, or skip with a reason.',
      )
    }
    await withRunning(subject, async ({ call }) => {
      const run = call(fixture)
      await run.outcome
      check(run.progress.length > 0, `"${fixture.tool}" ended and reported no progress.`)
      let last = 0
      for (const each of run.progress) {
        const { fraction = last } = each ?? {}
        check(fraction >= last && fraction <= 1, `A fraction of ${fraction} came after ${last}.`)
        last = fraction
      }
    })
  },
}

const healthMs = 5000

export const health: Check = {
  name: 'health',
  title: 'it knows that it is well',
  claim: 'health',
  async run(subject) {
    await withRunning(subject, async ({ instance }) => {
      check(typeof instance.health === 'function', 'It claims health and has no such function.')
      const state = await within(instance.health(AbortSignal.timeout(healthMs)), healthMs)
      check(!isLate(state), `health gave no answer within ${healthMs} ms.`)
      check(state?.state === 'ok', `A backend that answers is ${show(state)}; expected "ok".`)
    })
  },
}

export const batch: Check = {
  name: 'batch',
  title: 'a batch gives one result a call, in order',
  claim: 'batch',
  async run(subject) {
    const { ok, fails, concurrent = [] } = subject.options.fixtures
    // The failure stands neither in the middle nor at an end: reversed, or sorted by success, it is somewhere else.
    const fixtures = [ok, fails, ok, ok, ...concurrent]
    await withRunning(subject, async ({ instance, prepare }) => {
      check(typeof instance.invokeBatch === 'function', 'It claims batch and has no invokeBatch.')
      const calls = fixtures.map((fixture, index) => ({
        ...prepare(fixture),
        callId: `batch_${index}`,
        idempotencyKey: `batch_${index}`,
        attempt: 1,
      }))
      const results = await instance.invokeBatch(calls, batchContext())
      check(
        Array.isArray(results),
        `invokeBatch gave ${show(results)}; expected a list of results.`,
      )
      check(
        results.length === calls.length,
        `${calls.length} calls gave ${results.length} results.`,
      )
      for (const [index, fixture] of fixtures.entries()) {
        const judge = index === 1 ? faultOfFailure : faultOfSuccess
        const outcome = outcomeOf(results[index]!)
        const fault = judge(fixture, outcome) ?? faultOfError(fixture, outcome)
        if (fault !== undefined) {
          fail(
            `In a batch, where results stand in the order of the calls, call ${index + 1}: ${fault}`,
          )
        }
      }
    })
  },
}

/** Read as the gateway reads it: an entry with an error is one, and that has the facts of a ToolError. */
function outcomeOf(result: AdapterOutput & { readonly error?: unknown }): Outcome {
  const error = typeof result === 'object' && result !== null ? result.error : undefined
  if (error === undefined || error === null) return { ok: true, output: result }
  const isFacts = typeof error === 'object'
  return { ok: false, error: isFacts ? new ToolError(error as ToolErrorInit) : error }
}

function faultOfError({ tool }: Fixture, outcome: Outcome): string | undefined {
  if (outcome.ok) return undefined
  if (!ToolError.isInstance(outcome.error)) {
    return `"${tool}" gave the error ${show(outcome.error)}; expected { code, message, started }.`
  }
  const fault = faultOfFacts(outcome.error)
  return fault === undefined ? undefined : `"${tool}" gave an error with ${fault}.`
}
