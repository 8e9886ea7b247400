import { cancel, cancelEffect } from './cancel.ts'
import type { Check } from './check.ts'
import { batch, health, progress } from './claims.ts'
import { concurrency } from './concurrency.ts'
import { capabilities, contract, name, options } from './definition.ts'
import { large } from './large.ts'
import { create, leaks, lifecycle, stop } from './life.ts'
import { listing } from './listing.ts'
import { fails, frozenArguments, ok, toolErrors } from './outcomes.ts'

/** All checks in the order in which they run. */
export const checks: readonly Check[] = [
  contract,
  name,
  options,
  capabilities,
  create,
  lifecycle,
  listing,
  ok,
  fails,
  toolErrors,
  frozenArguments,
  concurrency,
  large,
  cancel,
  cancelEffect,
  progress,
  batch,
  health,
  stop,
  leaks,
]

/** The checks of {@link adapterSuite}: their stable names, which `skip` uses, and what holds when they pass. */
export const adapterChecks: readonly Pick<Check, 'name' | 'title' | 'claim'>[] = checks.map(
  ({ name: checkName, title, claim }) => ({
    name: checkName,
    title,
    ...(claim === undefined ? {} : { claim }),
  }),
)
