import type { Connection } from '../connect/connection.ts'
import type { McpServer } from '../options.ts'
import type { Pins } from '../trust/pins.ts'
import type { Catalogue } from './catalogue.ts'
import type { HandOver } from './hand-over.ts'
import type { Requests } from './requests.ts'

/** All that decides which tools of a server may be called. */
export interface ServerTools {
  readonly server: string
  readonly config: McpServer
  readonly pins: Pins | undefined
  readonly catalogue: Catalogue
  readonly handOver: HandOver
  readonly requests: Requests
  /** The live connection, without waiting. */
  readonly connection: () => Connection | undefined
  /** Fires when the adapter is stopped. */
  readonly stopped: AbortSignal
}
