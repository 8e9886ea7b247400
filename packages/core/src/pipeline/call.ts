import type {
  AdapterOutput,
  CallContext,
  Ports,
  Repair,
  StepName,
  ToolCallIn,
  ToolId,
  ToolResult,
} from '@callgate/spec'

import type { RiskAssessment } from '../options.ts'
import type { ToolEntry } from '../registry/tool-entry.ts'
import { maxName, shortened } from '../results/cut-text.ts'
import type { Failure } from '../results/failure.ts'
import type { HeldTexts } from '../results/held-texts.ts'
import type { StopSource } from '../turn/stop.ts'

/** Where a call stands among those it came with. */
export interface Lineage {
  readonly parentCallId?: string
  readonly batchIndex?: number
  readonly batchSize?: number
  /** How many calls deep this one was made from inside others. */
  readonly depth: number
  /** The call inside which it was made. */
  readonly parent?: Call
  /** Whether it is a step of a composite tool: the next step needs the whole of its result, which no model is shown. */
  readonly isStep?: boolean
  /** Whether it is an entry of a batch of connectors: its result is cut with those of the others. */
  readonly isEntry?: boolean
  /** The turn it came in: what its model sent before it had seen any answer. */
  readonly turn?: TurnMark
}

/** A turn as its calls know it: which it is, and how many of them named no tool. */
export interface TurnMark {
  slips: number
}

/** An approval that a human gave for exactly these arguments. */
export interface Approved {
  readonly digest: string
}

/** What a human answered to a call that was put aside, as it enters again. */
export interface Answered {
  readonly ticketId: string
  /** For the audit. */
  readonly notes: readonly object[]
  /** What the arguments were before the human edited them. */
  readonly originalArguments?: unknown
}

/** Runs a call in place of the adapter: an entry of a connector batch waits here for the others. */
export type Invoke = (call: Call) => Promise<AdapterOutput>

/** One call on its way through the seven steps: what is known of it so far. */
export interface Call {
  readonly callId: string
  readonly lineage: Lineage
  /** Frozen; without the caller's functions it is what a resumed call enters with. */
  readonly context: CallContext
  readonly stop: StopSource
  readonly startedAt: number
  /** When the last step ended. */
  markedAt: number
  /** The name and arguments as they came, out of the bridge if they came through it. */
  name: string
  rawArguments: unknown
  /** Why the call cannot even be looked up. */
  readonly malformed: Failure | undefined
  readonly trace: { readonly step: StepName; readonly ms: number }[]
  /** Whether it is in step 5. */
  executing: boolean
  entry: ToolEntry | undefined
  /** The tool that runs, or is to run. */
  toolId: ToolId
  /** Frozen; final once authorised. */
  arguments: unknown
  /** Whether `arguments` came out of validation, fitting or not. */
  checked: boolean
  /** What the arguments were before a hook or a human changed them; undefined where nobody did. */
  originalArguments: unknown
  /** Before a Standard Schema made its output of them. */
  inputArguments: unknown
  repairs: readonly Repair[]
  attempts: number
  /** Of these, those of the tools before this one, where it is a fallback. */
  attemptsBefore: number
  /** Frees its place among the calls that may run at once, or with which it runs together. */
  leave: () => void
  outcome: ToolResult['metadata']['outcome']
  /** Of a composite tool that answered: what its steps did together. */
  stepsOutcome: ToolResult['metadata']['outcome'] | undefined
  /** The tool that the caller asked for; a fallback does not change it. */
  askedTool: ToolId
  answeredBy: ToolId | undefined
  ticketId: string | undefined
  /** By which a backend knows the attempts of one call; made when an adapter first gets it. */
  idempotencyKey: string | undefined
  /** Milliseconds that humans took, for it or for a call inside it: no limit counts them. */
  waitedMs: number
  /** How many humans are being asked, and since when. */
  asking: number
  askingSince: number
  approved: Approved | undefined
  risk: RiskAssessment | undefined
  rawData: unknown
  /** Facts of the adapter about the call. */
  backend: ToolResult['metadata']['backend']
  invoke: Invoke | undefined
  /** Made when it first tells of its progress. */
  heldTexts: HeldTexts | undefined
  /** For the audit: what each hook did, and decisions of the layers. */
  readonly notes: object[]
}

export interface CallInit {
  readonly callId: string
  readonly input: Pick<ToolCallIn, 'name' | 'arguments'>
  readonly context: CallContext
  readonly lineage: Lineage
  readonly stop: StopSource
  readonly malformed?: Failure | undefined
  readonly approved?: Approved | undefined
  readonly answered?: Answered
  readonly invoke?: Invoke | undefined
  /** Tells the others of a connector batch that this entry does not come. */
  readonly leave?: () => void
}

export function openCall(init: CallInit, now: number): Call {
  const { callId, input, context, lineage, stop, answered } = init
  const name = shortened(input.name, maxName)
  return {
    callId,
    lineage,
    context,
    stop,
    startedAt: now,
    markedAt: now,
    name: input.name,
    rawArguments: input.arguments,
    malformed: init.malformed,
    trace: [],
    executing: false,
    entry: undefined,
    toolId: name,
    arguments: undefined,
    checked: false,
    originalArguments: answered?.originalArguments,
    inputArguments: undefined,
    repairs: noRepairs,
    attempts: 0,
    attemptsBefore: 0,
    leave: init.leave ?? noPlace,
    outcome: 'not_started',
    stepsOutcome: undefined,
    askedTool: name,
    answeredBy: undefined,
    ticketId: answered?.ticketId,
    idempotencyKey: undefined,
    waitedMs: 0,
    asking: 0,
    askingSince: 0,
    approved: init.approved,
    risk: undefined,
    rawData: undefined,
    backend: undefined,
    invoke: init.invoke,
    heldTexts: undefined,
    notes: answered === undefined ? [] : [...answered.notes],
  }
}

/** Ends a step: the time since the last one goes to it. */
export function mark(call: Call, clock: Ports['clock'], step: StepName): void {
  const now = clock.now()
  call.trace.push({ step, ms: now - call.markedAt })
  call.markedAt = now
}

/** Ends a step that only looked something up: to read the clock takes as long, so its time goes to the next step. */
export function pass(call: Call, step: StepName): void {
  call.trace.push({ step, ms: 0 })
}

const noPlace = (): void => {}
const noRepairs: readonly Repair[] = Object.freeze([])

/** What a tool gave, or why it did not. */
export type Produced =
  | { readonly ok: true; readonly output: AdapterOutput }
  | { readonly ok: false; readonly failure: Failure; readonly output?: AdapterOutput }
