import type { JsonRecord } from '../record.ts'

/** What a server asks the user. */
export interface ElicitationRequest {
  readonly server: string
  /** `form`: a few values; `url`: a page to open, whose host must be shown and which nothing opens by itself. */
  readonly mode: 'form' | 'url'
  /** Control and invisible characters are removed. */
  readonly message: string
  /** Of the form: an object of strings, numbers, booleans and choices. */
  readonly schema?: JsonRecord
  readonly url?: string
  /** Fires when the call that asked has ended or the server is gone: take the question off the screen. */
  readonly signal: AbortSignal
}

export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: JsonRecord }
  | { readonly action: 'decline' | 'cancel' }

export type ElicitationHandler = (
  request: ElicitationRequest,
) => ElicitationAnswer | Promise<ElicitationAnswer>

/** A completion that a server asks for; `params` is the request as the protocol has it. */
export interface SamplingRequest {
  readonly server: string
  readonly params: JsonRecord
  readonly signal: AbortSignal
}

/** Gives back a result as the protocol has it: `{ model, role, content, stopReason? }`. */
export type SamplingHandler = (request: SamplingRequest) => JsonRecord | Promise<JsonRecord>

export type RootsOption = readonly { readonly uri: string; readonly name?: string }[]
