import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import type { CgroupPlan } from '../isolate/cgroup.ts'

/** The control group of one run. */
export interface RunGroup {
  /** Whoever writes 0 there is in the group. */
  readonly procs: string
  members(): readonly number[]
  /** Whether a fork failed because of the limit. */
  hitLimit(): boolean
  /** Takes the group away once nothing is in it; whoever ends what is in it has a minute. */
  close(): Promise<void>
}

const prefix = 'callgate-'
const stepMs = 20
/** The longest grace of a program, and some time to go. */
const longestMs = 65_000

/** Makes the group of a run. @throws the system's error. */
export function openGroup({ folder, processes }: CgroupPlan, marker: string): RunGroup {
  const group = join(folder, prefix + marker)
  mkdirSync(group)
  try {
    if (processes !== undefined) writeFileSync(join(group, 'pids.max'), String(processes))
  } catch (error) {
    rmdirSync(group)
    throw error
  }
  const procs = join(group, 'cgroup.procs')
  return {
    procs,
    members: () => numbersIn(procs),
    hitLimit: () => /^max [1-9]/m.test(textOf(join(group, 'pids.events'))),
    close: () => removeGroup(group),
  }
}

/**
 * What stands before the vector of a program, so that it is in the group before it begins (a program that is moved later
 * can have forked by then). The text is fixed, all else are arguments.
 */
export function intoGroup(procs: string): readonly string[] {
  return ['/bin/sh', '-c', 'echo 0 > "$0" && exec "$@"', procs]
}

/** Processes in groups of runs whose owner is gone, by the marker in the name; empty groups are taken away. */
export function abandoned(folder: string, isGone: (marker: string) => boolean): readonly number[] {
  return namesIn(folder).flatMap((name) => {
    if (!name.startsWith(prefix) || !isGone(name.slice(prefix.length))) return []
    const group = join(folder, name)
    const members = numbersIn(join(group, 'cgroup.procs'))
    if (members.length === 0) void removeGroup(group)
    return members
  })
}

async function removeGroup(group: string): Promise<void> {
  for (let waited = 0; waited < longestMs; waited += stepMs) {
    try {
      rmdirSync(group)
      return
    } catch (error) {
      // EBUSY: something is in it, or what was ended is not collected yet.
      if (!(error instanceof Error && 'code' in error && error.code === 'EBUSY')) return
      // oxlint-disable-next-line no-await-in-loop -- one try after the other
      await sleep(stepMs, undefined, { ref: false })
    }
  }
}

function numbersIn(path: string): readonly number[] {
  return textOf(path).split('\n').filter(Boolean).map(Number)
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
