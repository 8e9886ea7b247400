import type { Failure } from '../results/failure.ts'

/** A refusal around or inside the execution, carried as an error to where failures are made. */
export class Refused extends Error {
  readonly failure: Failure

  constructor(refusal: Failure) {
    super(refusal.message)
    this.failure = refusal
  }
}
