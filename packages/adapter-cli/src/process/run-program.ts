import { statSync } from 'node:fs'

import { identityOf, sameFile } from '../declare/program.ts'
import { deferred } from './deferred.ts'
import { readOutput, type OutputReader } from './drain.ts'
import { endGroup, endProcesses } from './end-tree.ts'
import { startTimeOf } from './process-table.ts'
import type { OutputSink, RunEnd, RunFault, RunRequest } from './request.ts'
import { openGroup, type RunGroup } from './run-group.ts'
import { startProgram, type Exit, type Started } from './start-program.ts'
import { groupExists, membersOf, type Root } from './tree.ts'

/** What a run is given by whoever starts it. */
export interface RunContext {
  /** The value of the marker variable. */
  readonly marker: string
  readonly sink: OutputSink
  readonly signal: AbortSignal
  /** Whether a program is ended when this process exits; whoever says no sees to it otherwise. */
  readonly endsWithUs: boolean
  /** Clean-up that the call does not wait for. */
  readonly background: (work: Promise<unknown>) => void
}

/** A program that runs, and what is needed to end it. */
interface Running {
  readonly pid: number
  readonly signal: Started['signal']
  /** Undefined where there is no table of processes. */
  readonly root: Root | undefined
  readonly request: RunRequest
  readonly outputs: readonly OutputReader[]
  /** What bubblewrap says about its own work. */
  readonly status: { text: string } | undefined
  readonly startedAt: number
  readonly group: RunGroup | undefined
}

/**
 * Runs one program to its end and leaves nothing of it behind (B8 to B11).
 *
 * The end is the exit of the program itself and a short drain, not the end of its pipes, which a descendant may
 * hold. Never rejects for what the program does.
 */
export async function runProgram(request: RunRequest, context: RunContext): Promise<RunEnd> {
  const changed = checkBefore(request)
  if (changed !== undefined) return changed
  const startedAt = performance.now()
  const opened = groupFor(request, context.marker)
  if ('kind' in opened) return opened
  const { group } = opened
  const started = await startProgram(request, context.marker, context.endsWithUs, group)
  if (started.pid === undefined) {
    await group?.close()
    return refused(started.fault, started.detail)
  }
  const running = watch(started, request, context, startedAt, group)
  const aborted = deferred<'aborted'>()
  const onAbort = (): void => aborted.resolve('aborted')
  context.signal.addEventListener('abort', onAbort, { once: true })
  if (context.signal.aborted) onAbort()
  try {
    // Also while the last output is taken: whoever takes it may stand still.
    const ended = started.exit.then((exit) => afterExit(running, exit, context.background))
    const first = await Promise.race([aborted.promise, ended])
    return first === 'aborted' ? await afterAbort(running) : first
  } finally {
    context.signal.removeEventListener('abort', onAbort)
    for (const output of running.outputs) output.close()
    if (group !== undefined) context.background(group.close())
  }
}

function groupFor(
  { cgroup }: RunRequest,
  marker: string,
): RunEnd | { readonly group: RunGroup | undefined } {
  try {
    return { group: cgroup && openGroup(cgroup, marker) }
  } catch (error) {
    return refused('cgroup', String(error))
  }
}

function checkBefore({ program, cwd }: RunRequest): RunEnd | undefined {
  try {
    if (!sameFile(identityOf(program.path), program.identity)) {
      return refused('changed', `${program.path} is not the file that it was`)
    }
  } catch {
    return refused('missing', `${program.path} is gone`)
  }
  return isFolder(cwd) ? undefined : refused('working-dir', `${cwd} is gone`)
}

/** What cannot be looked at (a link in a circle, a folder that may not be entered) is none to work in either. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

function refused(fault: RunFault, detail: string): RunEnd {
  return { kind: 'refused', fault, detail }
}

function watch(
  { pid, stdout, stderr, signal, status: descriptor }: Started,
  request: RunRequest,
  { marker, sink }: RunContext,
  startedAt: number,
  group: RunGroup | undefined,
): Running {
  const startTime = startTimeOf(pid)
  const outputs = [readOutput(stdout, 'stdout', sink), readOutput(stderr, 'stderr', sink)]
  const status = descriptor === undefined ? undefined : { text: '' }
  if (descriptor !== undefined && status !== undefined) {
    const collect: OutputSink = (_, chunk) => {
      status.text += Buffer.from(chunk).toString()
    }
    outputs.push(readOutput(descriptor, 'stderr', collect))
  }
  const root = startTime === undefined ? undefined : { pid, startTime, marker, group }
  return { pid, signal, root, request, outputs, status, startedAt, group }
}

async function afterAbort(running: Running): Promise<RunEnd> {
  const { graceMs, statusDescriptor } = running.request
  // bubblewrap would die of SIGTERM at once, and the program in it of SIGKILL, without its grace.
  const survivors = await endAll(running, graceMs, statusDescriptor ? running.pid : undefined)
  // What it said last may still be in the pipes.
  await Promise.all(running.outputs.map((output) => output.drain(true)))
  return { kind: 'aborted', survivors }
}

async function afterExit(
  running: Running,
  exit: Exit,
  background: RunContext['background'],
): Promise<RunEnd> {
  const { request, outputs, status, startedAt, group } = running
  const drained = await Promise.all(outputs.map((output) => output.drain(false)))
  const durationMs = performance.now() - startedAt
  // bubblewrap tells the exit code of the program, and nothing when it could not start it.
  if (status !== undefined && exit.signal === undefined && !status.text.includes('"exit-code"')) {
    return refused('sandbox', 'bubblewrap could not start the program')
  }
  const hitProcessLimit = group?.hitLimit() ?? false
  const leftovers = drained.includes(false) || isLeft(running) ? countLeft(running) : 0
  if (leftovers > 0) background(endAll(running, request.graceMs))
  const { code: exitCode, signal } = exit
  return { kind: 'exited', exitCode, signal, durationMs, leftovers, hitProcessLimit }
}

function isLeft({ pid, group }: Running): boolean {
  return groupExists(pid) || (group !== undefined && group.members().length > 0)
}

/** At least one: who holds an output is there, found or not. */
function countLeft({ root }: Running): number {
  return root === undefined ? 1 : membersOf(root).length
}

function endAll({ root, pid, signal }: Running, graceMs: number, spare?: number): Promise<number> {
  return root === undefined
    ? endGroup(pid, signal, graceMs)
    : endProcesses(() => membersOf(root), graceMs, spare)
}
