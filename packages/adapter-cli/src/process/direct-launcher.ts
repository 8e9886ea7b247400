import { setTimeout as sleep } from 'node:timers/promises'

import { endProcesses } from './end-tree.ts'
import { isAbandoned, leftBehind, markerOf, newOwner, orphans, type Owner } from './marker.ts'
import { readProcess, type ProcessEntry } from './process-table.ts'
import type { Launcher, OutputSink, RunEnd, RunRequest } from './request.ts'
import { abandoned } from './run-group.ts'
import { runProgram } from './run-program.ts'

const sweepAfterMs = 1000

/**
 * Starts programs from this process.
 *
 * Once at the beginning it ends what an earlier owner left that was killed; after runs it looks, at most once a
 * second, for descendants that left their process group, and ends them (B10, B11). `endsWithUs`: programs are ended
 * when this process exits or is ended by a signal.
 */
export function directLauncher(endsWithUs: boolean): Launcher {
  const owner = newOwner()
  const active = new Map<number, AbortController>()
  const pending = new Set<Promise<unknown>>()
  let lastRun = 0
  let sweep: NodeJS.Timeout | undefined
  let isStopped = false

  const background = (work: Promise<unknown>): void => {
    const tracked = work.finally(() => pending.delete(tracked))
    pending.add(tracked)
  }
  const endLeftBehind = (): Promise<number> =>
    endProcesses(() => leftBehind(owner, (run) => active.has(run)), 200)
  const sweepLater = (): void => {
    if (isStopped) return
    sweep ??= setTimeout(() => {
      sweep = undefined
      background(endLeftBehind())
    }, sweepAfterMs).unref()
  }
  background(endProcesses(() => orphans(owner), 200))

  const sweepGroups = groupSweeper(owner, background)

  const run = async (
    request: RunRequest,
    sink: OutputSink,
    signal: AbortSignal,
  ): Promise<RunEnd> => {
    const id = ++lastRun
    if (request.cgroup !== undefined) sweepGroups(request.cgroup.folder)
    const stopping = new AbortController()
    active.set(id, stopping)
    try {
      return await runProgram(request, {
        marker: markerOf(owner, id),
        sink,
        signal: AbortSignal.any([signal, stopping.signal]),
        endsWithUs,
        background,
      })
    } finally {
      active.delete(id)
      sweepLater()
    }
  }
  const stop = async (limitMs: number): Promise<void> => {
    isStopped = true
    clearTimeout(sweep)
    for (const running of active.values()) running.abort()
    const end = performance.now() + limitMs
    while (active.size + pending.size > 0 && performance.now() < end) await sleep(10)
    await endLeftBehind()
  }
  return { run, stop }
}

/** Ends, once for each folder, what is in groups of owners that were killed. */
function groupSweeper(
  owner: Owner,
  background: (work: Promise<unknown>) => void,
): (folder: string) => void {
  const swept = new Set<string>()
  return (folder) => {
    if (swept.has(folder)) return
    swept.add(folder)
    const left = (): readonly ProcessEntry[] =>
      abandoned(folder, (marker) => isAbandoned(owner, marker)).flatMap(
        (pid) => readProcess(pid) ?? [],
      )
    // Once more at the end, when the groups are empty.
    background(endProcesses(left, 200).then(left))
  }
}
