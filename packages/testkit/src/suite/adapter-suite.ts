import { InvalidOptionsError, type BoundAdapter } from '@callgate/spec'

import type { Check } from '../checks/check.ts'
import { checks } from '../checks/checks.ts'
import type { Subject } from '../host/running.ts'
import { checkBound } from '../host/shapes.ts'
import { checkArguments } from './check-arguments.ts'
import type { AdapterSuiteOptions, TestFunction } from './options.ts'
import { unknownKey } from './unknown-key.ts'

/**
 * Proves that an adapter keeps contract 1 (R8.6), with any test runner.
 *
 * Takes the runner's `test` function (name, async test), a function that makes the adapter anew for each test, and
 * the fixtures. Registers one test a check, named `<check>: <what holds>`; a check whose capability the adapter does
 * not claim passes, a skipped one passes under the name `<check>: skipped, <reason>`. What the factory starts
 * (a server for the adapter to talk to) is shared and the caller's to stop. A test takes up to five seconds.
 *
 * @throws InvalidOptionsError at once when an argument or a fixture does not fit or has a key that is unknown, or `skip`
 * names a check that does not exist or gives no reason.
 */
export function adapterSuite(
  test: TestFunction,
  factory: () => Promise<BoundAdapter>,
  options: AdapterSuiteOptions,
): void {
  checkArguments(test, factory, options)
  const skip = options.skip ?? {}
  checkSkip(skip)
  const make = async (): Promise<BoundAdapter> => {
    const bound = await factory()
    checkBound(bound)
    return bound
  }
  for (const check of checks) {
    const reason = Object.hasOwn(skip, check.name) ? skip[check.name] : undefined
    if (reason === undefined) {
      test(`${check.name}: ${promise(check)}`, () => runCheck(check, { factory: make, options }))
    } else {
      test(`${check.name}: skipped, ${reason}`, () => Promise.resolve())
    }
  }
}

function promise({ claim, title }: Check): string {
  return claim === undefined ? title : `if it claims ${claim}, ${title}`
}

async function runCheck(check: Check, subject: Subject): Promise<void> {
  if (check.claim !== undefined) {
    const { capabilities } = (await subject.factory()).definition
    if (capabilities[check.claim] !== true) return
  }
  await check.run(subject)
}

function checkSkip(skip: { readonly [check: string]: string }): void {
  const names = checks.map((check) => check.name)
  const unknown = unknownKey(skip, names)
  if (unknown !== undefined) {
    const { key, near } = unknown
    const meant = near === undefined ? '' : `Did you mean "${near}"? `
    throw new InvalidOptionsError({
      rule: 'suite-check',
      where: `skip.${key}`,
      message: `There is no check "${key}".`,
      hint: `${meant}The checks are ${names.join(', ')}.`,
    })
  }
  for (const [name, reason] of Object.entries(skip)) {
    if (typeof reason !== 'string' || reason.trim() === '') {
      throw new InvalidOptionsError({
        rule: 'suite-reason',
        where: `skip.${name}`,
        message: `The check "${name}" is skipped without a reason.`,
        hint: 'Write the reason; it stands in the report.',
      })
    }
  }
}
