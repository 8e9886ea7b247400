import type { CallContext, ToolId, ToolResult } from '@callgate/spec'

import { batchTool, bridgeOwner } from '../bridge/bridge-names.ts'
import type { Registry } from '../registry/registry.ts'
import { headUnits } from '../results/cut-text.ts'
import { failure, type Failure } from '../results/failure.ts'
import { isFailure } from './loops.ts'

/** A plan has failed when a tool of it failed so often in a row: then the tool level has been tried. */
const failuresOfAPlan = 2
const maxTasks = 1000
/** A task that nobody worked on for so many milliseconds begins anew. */
const forgetAfterMs = 1_800_000

/** What waits for time or room is no fault of a plan. */
const noFaultOfAPlan: ReadonlySet<string> = new Set([
  'rate_limited',
  'overloaded',
  'repeated_failure',
])

interface Task {
  at: number
  /** Failures in a row of each tool since the plan began. */
  readonly streaks: Map<ToolId, number>
  /** What failed since something was done. */
  readonly failing: Set<ToolId>
  failedPlans: number
  /** What failed last, for the reason. */
  last: string
}

/**
 * Plan level of R10.2. A gateway sees no plans, but what comes of them: a plan has failed when a turn ends in which no
 * call changed anything, and some tool of it failed for the second time in a row. The turns after it are another plan.
 * After as many re-plans as the policy allows the task has failed, and its calls are refused with a reason that the
 * model can pass on. A task is what `context.task` names in a session; a turn without one is of the session as a whole,
 * where one turn is refused and then the count begins again, since nothing tells whether the user has spoken meanwhile.
 */
export interface Replans {
  /** Why no call of a turn is run; undefined while the task goes on. */
  check(context: CallContext, now: number): Failure | undefined
  record(context: CallContext, results: readonly ToolResult[], now: number): void
}

export function createReplans(registry: Registry, maxReplans: number): Replans {
  const tasks = new Map<string, Task>()

  function find(context: CallContext, now: number): Task | undefined {
    const key = keyOf(context)
    const task = key === undefined ? undefined : tasks.get(key)
    if (task === undefined || now - task.at <= forgetAfterMs) return task
    tasks.delete(key!)
    return undefined
  }

  return {
    check(context, now) {
      const task = find(context, now)
      if (task === undefined || task.failedPlans <= maxReplans) return undefined
      if (context.task === undefined) tasks.delete(keyOf(context)!)
      return taskFailed(task)
    },
    record(context, results, now) {
      const key = keyOf(context)
      if (key === undefined) return
      const before = find(context, now)
      if (results.some((result) => hasDoneSomething(result, before, registry))) {
        tasks.delete(key)
        return
      }
      const worked = new Set(
        results.filter(({ status }) => status === 'ok').map(({ tool }) => tool),
      )
      for (const tool of worked) tasks.get(key)?.streaks.delete(tool)
      const failed = results.filter(
        (result) =>
          isFailure(result) && !worked.has(result.tool) && !noFaultOfAPlan.has(result.error!.code),
      )
      if (failed.length === 0) return
      const task = before ?? newTask(now)
      // At the end again: the first is the one that nobody worked on for the longest time.
      tasks.delete(key)
      tasks.set(key, task)
      if (tasks.size > maxTasks) tasks.delete(tasks.keys().next().value!)
      note(task, failed, now)
    },
  }
}

function keyOf({ sessionId, task }: CallContext): string | undefined {
  return sessionId === undefined ? undefined : JSON.stringify([sessionId, task])
}

function newTask(now: number): Task {
  return { at: now, streaks: new Map(), failing: new Set(), failedPlans: 0, last: '' }
}

/**
 * What is not said to read only does something, and so does a tool that had failed: what was in the way no longer is.
 * To look up something else is no step of a plan.
 */
function hasDoneSomething(
  { status, tool }: ToolResult,
  task: Task | undefined,
  registry: Registry,
): boolean {
  if (status !== 'ok') return false
  // Of a batch of connectors nobody says that it only reads.
  if (task?.failing.has(tool) === true || tool === batchTool) return true
  const entry = registry.find(tool)
  return entry?.owner !== bridgeOwner && entry?.definition.effects?.readOnly !== true
}

/** One turn in which a tool fails several times is one failure of it: the model could not have learnt between. */
function note(task: Task, failed: readonly ToolResult[], now: number): void {
  task.at = now
  let over = false
  for (const tool of new Set(failed.map((result) => result.tool))) {
    const times = (task.streaks.get(tool) ?? 0) + 1
    task.streaks.set(tool, times)
    task.failing.add(tool)
    over ||= times >= failuresOfAPlan
  }
  const { tool, error } = failed.at(-1)!
  task.last = `${tool}: ${headUnits(error!.message, 200)}`
  if (!over) return
  task.failedPlans++
  task.streaks.clear()
}

function taskFailed({ failedPlans, last }: Task): Failure {
  return failure(
    'repeated_failure',
    `The task has failed: ${failedPlans} plans did not work. The last thing that failed was ${last}`,
    {
      rule: 'replans',
      hint: 'Call no more tools for this task. Tell the user what was tried, what failed and what would be needed.',
    },
  )
}
