import type { ToolId, ToolResult } from '@callgate/spec'

import type { Call } from '../pipeline/call.ts'
import { failure, type Failure } from '../results/failure.ts'
import { sameJson } from './same-json.ts'

/** The same call with the same arguments is refused after it failed so often in a row. */
const maxSameFailures = 3
/** From so many equal calls on the model is told that it repeats itself. */
const noticeFrom = 3
/** So many different calls of a session are remembered: cycles of as many are found. */
const keptCalls = 16
const maxSessions = 1000

/** One call that was made, with how often in a row of others at most `keptCalls` long. */
interface Made {
  readonly tool: ToolId
  readonly arguments: unknown
  times: number
  /** Failures since it last succeeded. */
  failures: number
}

interface SessionMemory {
  readonly results: ToolResult[]
  readonly calls: Made[]
  /** Failures in a row by tool. */
  readonly failures: Map<ToolId, number>
}

/** Remembers the latest calls of each session, so that a model does not run in circles (R10.2). */
export interface Guardrails {
  check(call: Call): Failure | undefined
  record(call: Call, result: ToolResult): void
  /** The latest results, without their data and content. */
  history(sessionId: string | undefined): readonly ToolResult[]
  /** How often in a row this tool failed in the session. */
  failuresInARow(call: Call): number
  /** What to tell the model of a call that it makes again and again. */
  notice(call: Call): string | undefined
}

export function createGuardrails(): Guardrails {
  const sessions = new Map<string, SessionMemory>()
  let newest: string | undefined

  function memoryOf(sessionId: string): SessionMemory {
    let memory = sessions.get(sessionId)
    if (memory !== undefined && sessionId === newest) return memory
    newest = sessionId
    // Put at the end again: the first in the map is the one longest unused.
    if (memory !== undefined) sessions.delete(sessionId)
    else memory = { results: [], calls: [], failures: new Map() }
    sessions.set(sessionId, memory)
    if (sessions.size > maxSessions) sessions.delete(sessions.keys().next().value!)
    return memory
  }

  // What was found for the notice of a call serves its record, which mostly follows at once.
  let noticed: Call | undefined
  let noticedMade: Made | undefined

  const recall = ({ context }: Call): SessionMemory | undefined =>
    context.sessionId === undefined ? undefined : sessions.get(context.sessionId)

  return {
    check(call) {
      const memory = recall(call)
      // Most sessions have no failure: then nothing is compared.
      const times = memory?.failures.size ? (find(memory.calls, call)?.failures ?? 0) : 0
      if (times < maxSameFailures) return undefined
      return failure(
        'repeated_failure',
        `The same call failed ${times} times in a row and is not tried again.`,
        { hint: 'Change the arguments, use another tool, or tell the user what does not work.' },
      )
    },
    record(call, result) {
      const { sessionId } = call.context
      if (sessionId === undefined || result.error?.code === 'repeated_failure') return
      const memory = memoryOf(sessionId)
      // Layer 2 asks what happened, not what came back: results can be large.
      keep(memory.results, { ...result, data: null, content: noContent })
      const failed = result.status === 'error'
      remember(
        memory.calls,
        call,
        noticed === call ? noticedMade : find(memory.calls, call),
        failed,
      )
      noticed = undefined
      if (failed) memory.failures.set(result.tool, (memory.failures.get(result.tool) ?? 0) + 1)
      else memory.failures.delete(result.tool)
    },
    history: (sessionId) =>
      sessionId === undefined ? [] : (sessions.get(sessionId)?.results ?? []),
    failuresInARow: (call) => recall(call)?.failures.get(call.toolId) ?? 0,
    notice(call) {
      const calls = recall(call)?.calls
      noticed = call
      noticedMade = calls === undefined ? undefined : find(calls, call)
      const times = 1 + (noticedMade?.times ?? 0)
      if (times < noticeFrom) return undefined
      return `This is call number ${times} of ${call.toolId} with the same arguments. If nothing new came of it, do something else.`
    },
  }
}

const noContent: ToolResult['content'] = []

// From the end: what is repeated was mostly made last.
function find(calls: readonly Made[], { toolId, arguments: args }: Call): Made | undefined {
  for (let place = calls.length - 1; place >= 0; place--) {
    const made = calls[place]!
    if (made.tool === toolId && sameJson(made.arguments, args)) return made
  }
  return undefined
}

function remember(calls: Made[], call: Call, before: Made | undefined, failed: boolean): void {
  const made = before ?? { tool: call.toolId, arguments: call.arguments, times: 0, failures: 0 }
  made.times++
  made.failures = failed ? made.failures + 1 : 0
  if (made === calls.at(-1)) return
  const place = calls.indexOf(made)
  if (place !== -1) calls.splice(place, 1)
  keep(calls, made)
}

function keep<T>(list: T[], item: T): void {
  list.push(item)
  if (list.length > keptCalls) list.shift()
}
