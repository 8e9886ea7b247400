import type { BoundAdapter } from '@callgate/spec'

import type { Subject } from '../host/running.ts'

export type AdapterCheckName =
  | 'contract'
  | 'name'
  | 'options'
  | 'capabilities'
  | 'create'
  | 'lifecycle'
  | 'listing'
  | 'ok'
  | 'fails'
  | 'tool-errors'
  | 'frozen-arguments'
  | 'concurrency'
  | 'large'
  | 'cancel'
  | 'cancel-effect'
  | 'progress'
  | 'batch'
  | 'health'
  | 'stop'
  | 'leaks'

type Capability = Exclude<keyof BoundAdapter['definition']['capabilities'], 'isolation'>

/** One thing that the contract promises. */
export interface Check {
  readonly name: AdapterCheckName
  /** What holds when it passes. */
  readonly title: string
  /** It holds only for adapters that claim this; the others pass. */
  readonly claim?: Capability
  run(subject: Subject): Promise<void>
}
