import { matchesGlob } from '@callgate/hooks'
import type { ToolId, ToolResult } from '@callgate/spec'

import type { PolicyOptions } from '../options.ts'
import type { Call } from '../pipeline/call.ts'
import { shortened } from '../results/cut-text.ts'
import type { Failure } from '../results/failure.ts'
import { maskSecretFields } from '../results/redact.ts'
import { isFailure, Loops } from './loops.ts'

/** So many results of a session are remembered. */
const keptResults = 16
const maxSessions = 1000
/** Of a tool that fails so many of its latest failures are told, and of so many tools of a session. */
const toldFailures = 3
const maxFailingTools = 32
/** Characters of arguments and of a message in that telling. */
const toldCharacters = 120

/** A tool that fails: how often in a row, and the latest of it in words. */
interface Streak {
  failures: number
  readonly told: string[]
}

interface SessionMemory {
  readonly results: ToolResult[]
  readonly loops: Loops
  readonly streaks: Map<ToolId, Streak>
}

/** Remembers the latest calls of each session, so that a model does not run in circles (R10.2). */
export interface Guardrails {
  check(call: Call): Failure | undefined
  record(call: Call, result: ToolResult): void
  /** The latest results, without their data and content. */
  history(sessionId: string | undefined): readonly ToolResult[]
  /** How often in a row the tool of a call failed in the session before it, and how, oldest first. */
  failuresInARow(call: Call): { readonly count: number; readonly told: readonly string[] }
  /** What to tell the model of a call that it makes again and again. */
  notice(call: Call, unseen: boolean): string | undefined
}

export function createGuardrails({
  loops = true,
  polls = [],
}: Pick<PolicyOptions, 'loops' | 'polls'> = {}): Guardrails {
  const isPolled = ({ entry, toolId }: Call): boolean =>
    entry?.definition.effects?.polls === true || polls.some((glob) => matchesGlob(glob, toolId))
  const sessions = new Map<string, SessionMemory>()
  let newest: string | undefined

  function memoryOf(sessionId: string): SessionMemory {
    let memory = sessions.get(sessionId)
    if (memory !== undefined && sessionId === newest) return memory
    newest = sessionId
    // Put at the end again: the first in the map is the one longest unused.
    if (memory !== undefined) sessions.delete(sessionId)
    else memory = { results: [], loops: new Loops(isPolled), streaks: new Map() }
    sessions.set(sessionId, memory)
    if (sessions.size > maxSessions) sessions.delete(sessions.keys().next().value!)
    return memory
  }

  /** Undefined without a session, and for calls that a tool or a hook makes: those are no doing of the model. */
  const recall = ({ context, lineage }: Call): SessionMemory | undefined =>
    context.sessionId === undefined || lineage.depth > 0
      ? undefined
      : sessions.get(context.sessionId)

  return {
    // What a person let run is no doing of the model either.
    check: (call) =>
      loops && call.approved === undefined ? recall(call)?.loops.check(call) : undefined,
    record(call, result) {
      const { sessionId } = call.context
      if (sessionId === undefined || result.error?.code === 'repeated_failure') return
      const memory = memoryOf(sessionId)
      // Layer 2 asks what happened, not what came back: results can be large.
      memory.results.push({ ...result, data: null, content: noContent })
      if (memory.results.length > keptResults) memory.results.shift()
      if (call.lineage.depth > 0) return
      if (loops) memory.loops.record(call, result)
      if (call.entry !== undefined) recordStreak(memory.streaks, call, result)
    },
    history: (sessionId) =>
      sessionId === undefined ? [] : (sessions.get(sessionId)?.results ?? []),
    failuresInARow(call) {
      const streak = recall(call)?.streaks.get(call.toolId)
      return { count: streak?.failures ?? 0, told: streak?.told ?? [] }
    },
    notice: (call, unseen) => (loops ? recall(call)?.loops.notice(call, unseen) : undefined),
  }
}

const noContent: ToolResult['content'] = []

function recordStreak(streaks: Map<ToolId, Streak>, call: Call, result: ToolResult): void {
  if (!isFailure(result)) {
    if (result.status === 'ok' && streaks.size > 0) streaks.delete(call.toolId)
    return
  }
  const streak = streaks.get(call.toolId) ?? { failures: 0, told: [] }
  streaks.set(call.toolId, streak)
  if (streaks.size > maxFailingTools) streaks.delete(streaks.keys().next().value!)
  streak.failures++
  const { code, message } = result.error!
  const args = JSON.stringify(maskSecretFields(call.arguments)) ?? ''
  streak.told.push(
    `${shortened(args, toldCharacters)} gave ${code}: ${shortened(message, toldCharacters)}`,
  )
  if (streak.told.length > toldFailures) streak.told.shift()
}
