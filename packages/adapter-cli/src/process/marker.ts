import { randomBytes } from 'node:crypto'

import {
  environmentValue,
  pidNamespace,
  readProcess,
  readProcesses,
  type ProcessEntry,
} from './process-table.ts'

/** Every program is started with this variable, so that its descendants are found wherever they hide. */
export const markerName = 'CALLGATE_RUN'

/** Whoever starts programs: PID namespace, pid and start time, so that no other process is taken for it. */
export interface Owner {
  readonly namespace: string
  readonly pid: number
  readonly startTime: number
  /** Its own among those of the process, for a process can have several adapters. */
  readonly launcher: string
}

/** A new owner in this process. */
export function newOwner(): Owner {
  const startTime = readProcess(process.pid)?.startTime ?? 0
  const launcher = randomBytes(4).toString('hex')
  return { namespace: pidNamespace(), pid: process.pid, startTime, launcher }
}

/** The value of the variable for one run of an owner. */
export function markerOf(owner: Owner, run: number): string {
  const { namespace, pid, startTime, launcher } = owner
  return [namespace, pid, startTime, launcher, run].join('.')
}

/**
 * Processes that an owner left behind which was killed and could not clean up (B11).
 *
 * Only owners of this PID namespace count: elsewhere the same pid is another process.
 */
export function orphans(owner: Owner): readonly ProcessEntry[] {
  return readProcesses().filter(({ pid }) => {
    const text = environmentValue(pid, markerName)
    return text !== undefined && isAbandoned(owner, text)
  })
}

/** Whether the value of the variable names an owner of this PID namespace that is gone. */
export function isAbandoned(owner: Owner, text: string): boolean {
  const marked = parseMarker(text)
  if (marked === undefined || marked.owner.namespace !== owner.namespace) return false
  return readProcess(marked.owner.pid)?.startTime !== marked.owner.startTime
}

/** Processes of an owner whose run has ended; those of other owners in the same process are theirs. */
export function leftBehind(
  owner: Owner,
  isActive: (run: number) => boolean,
): readonly ProcessEntry[] {
  const candidates = readProcesses().filter(({ startTime }) => startTime >= owner.startTime)
  return candidates.filter(({ pid }) => {
    const marked = parseMarker(environmentValue(pid, markerName))
    return marked !== undefined && isSame(marked.owner, owner) && !isActive(marked.run)
  })
}

function parseMarker(text: string | undefined): { owner: Owner; run: number } | undefined {
  const parts = text?.split('.') ?? []
  const [namespace = '', pid, startTime, launcher = '', run] = parts
  if (parts.length !== 5) return undefined
  const owner = { namespace, pid: Number(pid), startTime: Number(startTime), launcher }
  return { owner, run: Number(run) }
}

function isSame(one: Owner, other: Owner): boolean {
  return (
    one.launcher === other.launcher &&
    one.pid === other.pid &&
    one.startTime === other.startTime &&
    one.namespace === other.namespace
  )
}
