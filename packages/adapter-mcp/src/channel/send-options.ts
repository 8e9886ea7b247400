import type { TransportSendOptions } from '@modelcontextprotocol/client'

import type { Fault } from './fault.ts'

/** What the channel hands to a transport beyond the library's own options. */
export interface SendOptions extends TransportSendOptions {
  /** Why the reply stream ended without the reply; in place of `onRequestStreamEnd` for who can tell. */
  readonly onFault?: (fault: Fault) => void
}
