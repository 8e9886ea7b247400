import type { Answer } from './exchange.ts'

/** Gives requests their credentials, and gets better ones when the server wants them. */
export interface Authorizer {
  /** Headers for the next request. */
  headers(): Promise<Readonly<Record<string, string>>>
  /**
   * After 401 or 403. Resolves when the request is worth repeating; rejects with a `FaultError` `unauthorized` when a
   * human is needed, and with `undefined` left to say that the refusal stands.
   */
  refused(answer: Answer, attempt: number): Promise<boolean>
}
