import type { ToolId, ToolResult } from '@callgate/spec'

import type { Call } from '../pipeline/call.ts'
import { failure, type Failure } from '../results/failure.ts'
import { gist } from './gist.ts'
import { sameJson, sketchOf } from './same-json.ts'

/** The same call with the same arguments is refused after it failed so often in a row. */
const maxSameFailures = 3
/** From so many equal calls on the model is told that it repeats itself. */
const noticeFrom = 3
/** So many equal calls in a row that bring nothing new are made; the next is refused. */
const maxWithoutProgress = 5
/** So many equal calls in a row are made whatever they bring: a time stamp in the answer is no progress. */
const maxInARow = 10
/** So many calls going round in turn are still one row: cycles of up to four calls. */
const maxCycle = 4
/** So many different calls of a session are remembered. */
const keptCalls = 16
/** What was last made so many milliseconds ago is no loop any more. */
const forgetAfterMs = 600_000
/** So long a failure that the tool says may pass holds a call back, and so long any other. */
const retryableHoldMs = 60_000
const holdMs = 300_000

/** One call that was made in a session, and what came of it. */
interface Made {
  readonly tool: ToolId
  readonly arguments: unknown
  readonly sketch: number
  turn: object | undefined
  times: number
  at: number
  /** Failures since it last succeeded, and until when they hold it back. */
  failures: number
  heldUntil: number
  /** How often in the row of the latest calls, and how many of its latest results were like the one before. */
  inRow: number
  alike: number
  gist: number
}

/** The calls of one session, by which loops are found (R10.2). */
export class Loops {
  readonly #calls: Made[] = []
  /** The calls that go round: what was made since something new was done. */
  #row: Made[] = []
  /** Whether some call is to be refused; most sessions have none, and then nothing is compared. */
  #watchful = false
  /** What the latest call was for: another task is no round of the last one. */
  #task: string | undefined
  // What was found for the notice of a call serves its record, which mostly follows at once.
  #noticed: Call | undefined
  #noticedMade: Made | undefined
  readonly #polls: (call: Call) => boolean

  /** Takes who may be asked again and again although nothing new comes. */
  constructor(polls: (call: Call) => boolean) {
    this.#polls = polls
  }

  check(call: Call): Failure | undefined {
    if (!this.#watchful || call.context.task !== this.#task) return undefined
    const made = this.#find(call.toolId, call)
    if (made === undefined || call.startedAt - made.at > forgetAfterMs) return undefined
    if (made.failures >= maxSameFailures && call.startedAt < made.heldUntil)
      return failedTooOften(made, call)
    const isRound = made.inRow >= maxWithoutProgress && made.alike >= maxWithoutProgress - 2
    if ((!isRound && made.inRow < maxInARow) || this.#polls(call)) return undefined
    return goesRound(
      made,
      made.inRow >= maxInARow ? 'whatever it answered' : 'and nothing new came of it',
    )
  }

  /** What to tell the model of a call that it makes again and again, by the name that its result has. */
  notice(call: Call, unseen: boolean): string | undefined {
    this.#noticed = call
    this.#noticedMade = this.#find(unseen ? call.askedTool : call.toolId, call)
    const times = 1 + (this.#noticedMade?.times ?? 0)
    if (times < noticeFrom || this.#polls(call)) return undefined
    return `This is call number ${times} of ${call.askedTool} with the same arguments. If nothing new came of it, do something else.`
  }

  record(call: Call, result: ToolResult): void {
    // Who stopped a call had a reason; the model did nothing again.
    if (result.status === 'cancelled') return
    const tool = nameFor(call, result)
    const known = this.#noticed === call ? this.#noticedMade : this.#find(tool, call)
    this.#noticed = undefined
    const made = known ?? newlyMade(tool, call)
    if (isOfSameTurn(made, call)) return
    makeAgain(made, call)
    const isOtherTask = call.context.task !== this.#task
    this.#task = call.context.task
    this.#putInRow(made, isOtherTask || (known === undefined && hasChangedSomething(call, result)))
    compare(made, result)
    count(made, call, result)
    this.#watchful ||= made.failures >= maxSameFailures || made.inRow >= maxWithoutProgress
    if (known === undefined) this.#add(made)
    else this.#bringForward(made)
  }

  // From the end: what is repeated was mostly made last.
  #find(tool: ToolId, { arguments: args }: Call): Made | undefined {
    const sketch = sketchOf(args)
    for (let place = this.#calls.length - 1; place >= 0; place--) {
      const made = this.#calls[place]!
      if (made.sketch === sketch && made.tool === tool && sameJson(made.arguments, args)) {
        return made
      }
    }
    return undefined
  }

  /** Something new that was done ends the row, and what failed before it may now work. */
  #putInRow(made: Made, isNews: boolean): void {
    if (isNews) {
      for (const other of this.#calls) forget(other)
      this.#row = []
      this.#watchful = false
    }
    made.inRow++
    if (this.#row.includes(made)) return
    this.#row.push(made)
    if (this.#row.length > maxCycle) this.#row.shift()!.inRow = 0
  }

  #add(made: Made): void {
    this.#calls.push(made)
    if (this.#calls.length > keptCalls) this.#calls.shift()
  }

  #bringForward(made: Made): void {
    if (made === this.#calls.at(-1)) return
    const place = this.#calls.indexOf(made)
    // Calls that ran beside this one may have pushed it out meanwhile.
    if (place !== -1) this.#calls.splice(place, 1)
    this.#add(made)
  }
}

/** Several names of a tool that the caller may not see are several names that it does not know (R9.1). */
function nameFor({ askedTool, toolId }: Call, { error }: ToolResult): ToolId {
  return error?.code === 'permission_denied' ? askedTool : toolId
}

/** Of equal calls in one turn the model had seen no answer: that is no loop. */
function isOfSameTurn({ turn }: Made, { lineage }: Call): boolean {
  return lineage.turn !== undefined && lineage.turn === turn
}

function newlyMade(tool: ToolId, { arguments: args, startedAt }: Call): Made {
  return {
    tool,
    arguments: args,
    sketch: sketchOf(args),
    turn: undefined,
    times: 0,
    at: startedAt,
    failures: 0,
    heldUntil: 0,
    inRow: 0,
    alike: 0,
    gist: 0,
  }
}

function makeAgain(made: Made, { startedAt, lineage }: Call): void {
  made.turn = lineage.turn
  if (startedAt - made.at > forgetAfterMs) {
    forget(made)
    made.times = 0
  }
  made.at = startedAt
  made.times++
}

function forget(made: Made): void {
  made.failures = 0
  made.inRow = 0
  made.alike = 0
}

/** A tool that says it only reads changes nothing; of any other it is taken that it may. */
function hasChangedSomething({ entry }: Call, { status }: ToolResult): boolean {
  return status === 'ok' && entry?.definition.effects?.readOnly !== true
}

/** The first result of a call is not looked at: most calls are made once. */
function compare(made: Made, result: ToolResult): void {
  if (made.times === 1) return
  const now = gist(result)
  made.alike = made.times > 2 && made.gist === now ? made.alike + 1 : 0
  made.gist = now
}

/** Not answered by a human, or changed by its server: the model did nothing wrong. */
const nobodysFault: ReadonlySet<string> = new Set([
  'approval_expired',
  'definition_changed',
  'hook_failed',
])

export function isFailure({ status, error }: ToolResult): boolean {
  return status === 'error' || (status === 'denied' && !nobodysFault.has(error?.code ?? ''))
}

function count(made: Made, { markedAt }: Call, result: ToolResult): void {
  if (!isFailure(result)) {
    if (result.status === 'ok') made.failures = 0
    return
  }
  // One that was held back long enough is tried once more, not three times.
  made.failures = Math.min(made.failures + 1, maxSameFailures)
  const { retryable, retryAfterMs } = result.error!
  // From its end: a call may take longer than it is held back.
  made.heldUntil = markedAt + (retryAfterMs ?? (retryable ? retryableHoldMs : holdMs))
}

function failedTooOften({ failures, heldUntil }: Made, { startedAt }: Call): Failure {
  const retryAfterMs = Math.ceil(heldUntil - startedAt)
  return failure(
    'repeated_failure',
    `The same call failed ${failures} times in a row and is not tried again now.`,
    {
      rule: 'same-failure',
      retryAfterMs,
      hint: 'Change the arguments, use another tool, or tell the user what does not work.',
    },
  )
}

function goesRound({ tool, inRow }: Made, how: string): Failure {
  return failure(
    'repeated_failure',
    `${tool} was called ${inRow} times in a row with the same arguments, ${how}; it is not called again.`,
    {
      rule: 'no-progress',
      hint: 'Use what the earlier answers say, do something else, or tell the user what does not work.',
    },
  )
}
