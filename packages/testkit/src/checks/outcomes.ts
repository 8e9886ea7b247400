import { ToolError } from '@callgate/spec'

import { faultOfFailure, faultOfSuccess } from '../host/judge.ts'
import { withRunning } from '../host/running.ts'
import { faultOfFacts } from '../host/thrown-facts.ts'
import { check, fail, show } from '../measure/expect.ts'
import type { Check } from './check.ts'

export const ok: Check = {
  name: 'ok',
  title: 'a call that should succeed gives what is expected',
  async run(subject) {
    const { ok: fixture } = subject.options.fixtures
    await withRunning(subject, async ({ call }) => {
      const fault = faultOfSuccess(fixture, await call(fixture).outcome)
      if (fault !== undefined) fail(fault)
    })
  },
}

export const fails: Check = {
  name: 'fails',
  title: 'a call that should fail is told apart from one that succeeds',
  async run(subject) {
    const { fails: fixture } = subject.options.fixtures
    await withRunning(subject, async ({ call }) => {
      const fault = faultOfFailure(fixture, await call(fixture).outcome)
      if (fault !== undefined) fail(fault)
    })
  },
}

export const toolErrors: Check = {
  name: 'tool-errors',
  title: 'what it throws is a ToolError with facts that fit the contract',
  async run(subject) {
    const { ok: fine, fails: failing } = subject.options.fixtures
    await withRunning(subject, async ({ call }) => {
      for (const [what, run] of [
        [`"${failing.tool}"`, call(failing)],
        [`"${fine.tool}" with a signal that is aborted already`, call(fine, { aborted: true })],
      ] as const) {
        // oxlint-disable-next-line no-await-in-loop -- both run already
        const outcome = await run.outcome
        if (!outcome.ok) checkThrown(what, outcome.error)
      }
    })
  },
}

function checkThrown(what: string, error: unknown): void {
  check(
    ToolError.isInstance(error),
    `${what} threw ${show(error)}; anything but a ToolError becomes "internal", and its text is withheld.`,
  )
  const fault = faultOfFacts(error)
  if (fault !== undefined) {
    fail(
      `${what} threw a ToolError with ${fault}. It becomes "internal", and its text is withheld.`,
    )
  }
}

export const frozenArguments: Check = {
  name: 'frozen-arguments',
  title: 'it takes a tool and arguments that are deeply frozen',
  async run(subject) {
    const { ok: fixture } = subject.options.fixtures
    await withRunning(subject, async ({ call }) => {
      // Whether the call is right at all is the business of the check `ok`.
      const writable = await call(fixture, { writable: true }).outcome
      if (faultOfSuccess(fixture, writable) !== undefined) return
      const fault = faultOfSuccess(fixture, await call(fixture).outcome)
      if (fault !== undefined) fail(`With a frozen tool and frozen arguments: ${fault}`)
    })
  },
}
