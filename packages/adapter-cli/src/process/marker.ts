import {
  environmentValue,
  pidNamespace,
  readProcess,
  readProcesses,
  type ProcessEntry,
} from './process-table.ts'

/** Every program is started with this variable, so that its descendants are found wherever they hide. */
export const markerName = 'CALLGATE_RUN'

/** The process that starts programs: PID namespace, pid and start time, so that no other is taken for it. */
export interface Owner {
  readonly namespace: string
  readonly pid: number
  readonly startTime: number
}

export function thisOwner(): Owner {
  const startTime = readProcess(process.pid)?.startTime ?? 0
  return { namespace: pidNamespace(), pid: process.pid, startTime }
}

/** The value of the variable for one run of an owner. */
export function markerOf(owner: Owner, run: number): string {
  return `${owner.namespace}.${owner.pid}.${owner.startTime}.${run}`
}

/**
 * Processes that an owner left behind which was killed and could not clean up (B11).
 *
 * Only owners of this PID namespace count: elsewhere the same pid is another process.
 */
export function orphans(owner: Owner): readonly ProcessEntry[] {
  return readProcesses().filter(({ pid }) => {
    const marked = parseMarker(environmentValue(pid, markerName))
    if (marked === undefined || marked.owner.namespace !== owner.namespace) return false
    return readProcess(marked.owner.pid)?.startTime !== marked.owner.startTime
  })
}

/** Processes of an owner whose run has ended. */
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
  const [namespace, pid, startTime, run] = parts
  if (parts.length !== 4 || namespace === undefined) return undefined
  const owner = { namespace, pid: Number(pid), startTime: Number(startTime) }
  return { owner, run: Number(run) }
}

function isSame(one: Owner, other: Owner): boolean {
  return (
    one.pid === other.pid && one.startTime === other.startTime && one.namespace === other.namespace
  )
}
