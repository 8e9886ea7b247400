import type { ToolResult } from '@callgate/spec'

import type { Call } from '../pipeline/call.ts'
import { digestOf } from '../results/canonical.ts'
import { failure, type Failure } from '../results/failure.ts'

/** The same call with the same arguments is refused after it failed so often in a row. */
const maxSameFailures = 3
const keptResults = 20
const maxSessions = 1000
const maxKeys = 200

interface SessionMemory {
  readonly results: ToolResult[]
  /** Failures in a row by tool and arguments. */
  readonly failures: Map<string, number>
  /** Failures in a row by tool. */
  readonly byTool: Map<string, number>
}

/** Remembers the latest results of each session, so that the same failing call is not tried for ever (R10.2). */
export interface Guardrails {
  check(call: Call): Failure | undefined
  record(call: Call, result: ToolResult): void
  /** The latest results, without their data and content. */
  history(sessionId: string | undefined): readonly ToolResult[]
  /** How often in a row this tool failed in the session. */
  failuresInARow(call: Call): number
}

export function createGuardrails(): Guardrails {
  const sessions = new Map<string, SessionMemory>()

  function memoryOf(sessionId: string): SessionMemory {
    let memory = sessions.get(sessionId)
    // Put at the end again: the first in the map is the one longest unused.
    if (memory !== undefined) sessions.delete(sessionId)
    else memory = { results: [], failures: new Map(), byTool: new Map() }
    sessions.set(sessionId, memory)
    if (sessions.size > maxSessions) sessions.delete(sessions.keys().next().value!)
    return memory
  }

  return {
    check(call) {
      const { sessionId } = call.context
      const failures = sessionId === undefined ? undefined : sessions.get(sessionId)?.failures
      if (failures === undefined || failures.size === 0) return undefined
      const times = failures.get(keyOf(call)) ?? 0
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
      memory.results.push({ ...result, data: null, content: [] })
      if (memory.results.length > keptResults) memory.results.shift()
      if (result.status === 'ok') {
        memory.byTool.delete(result.tool)
        if (memory.failures.size > 0) memory.failures.delete(keyOf(call))
      } else if (result.status === 'error') {
        count(memory.byTool, result.tool)
        count(memory.failures, keyOf(call))
      }
    },
    history: (sessionId) =>
      sessionId === undefined ? [] : (sessions.get(sessionId)?.results ?? []),
    failuresInARow: ({ context, toolId }) =>
      context.sessionId === undefined
        ? 0
        : (sessions.get(context.sessionId)?.byTool.get(toolId) ?? 0),
  }
}

function keyOf(call: Call): string {
  return digestOf([call.toolId, call.arguments ?? null])
}

function count(counts: Map<string, number>, key: string): void {
  const next = (counts.get(key) ?? 0) + 1
  counts.delete(key)
  counts.set(key, next)
  if (counts.size > maxKeys) counts.delete(counts.keys().next().value!)
}
