import type { HookBus } from '@callgate/hooks'
import type { CallgateEvents, Logger, Ports, ToolCallIn, ToolResult } from '@callgate/spec'

import type { AdapterHosts } from '../adapters/adapter-hosts.ts'
import type { GatewayOptions, RiskAssessment, RiskFacts } from '../options.ts'
import type { Breakers } from '../policy/breakers.ts'
import type { Guardrails } from '../policy/guardrails.ts'
import type { Limits } from '../policy/limits.ts'
import type { Pins } from '../policy/pins.ts'
import type { Replans } from '../policy/replans.ts'
import type { Visibility } from '../policy/roles.ts'
import type { Tickets } from '../policy/tickets.ts'
import type { Registry } from '../registry/registry.ts'
import type { Redactor } from '../results/redact.ts'
import type { Spills } from '../results/spills.ts'
import type { Stop } from '../turn/stop.ts'
import type { Call } from './call.ts'

/** What the steps of the pipeline work with; made once per gateway. */
export interface Services {
  readonly ports: Ports
  readonly bus: HookBus<CallgateEvents>
  readonly registry: Registry
  readonly visibility: Visibility
  readonly adapters: AdapterHosts
  readonly guardrails: Guardrails
  readonly limits: Limits
  readonly breakers: Breakers
  readonly pins: Pins
  readonly replans: Replans
  readonly tickets: Tickets
  readonly redactor: Redactor
  readonly spills: Spills
  readonly log: Logger
  readonly approver: GatewayOptions['approver']
  readonly settings: Settings
  /** Stopped when the gateway closes. */
  readonly stop: Stop
  readonly assess: (facts: RiskFacts) => RiskAssessment
  /** Calls another tool through the whole pipeline, with `parent` as its parent, as a step of it or by itself; `stop` ends both. */
  readonly nested: (
    call: ToolCallIn,
    parent: Call,
    stop: Stop,
    isStep?: boolean,
  ) => Promise<ToolResult>
}

export interface Settings {
  readonly timeoutMs: number
  readonly resultCapBytes: number
  readonly approvalTimeoutMs: number
  readonly turnConcurrency: number
  readonly maxCallsPerTurn: number
  readonly splitFaultyBatches: boolean
  readonly directUnderTokens: number
  readonly listingTokens: number
}
