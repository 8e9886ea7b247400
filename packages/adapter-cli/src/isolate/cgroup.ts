import { existsSync, mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'

import type { ProcessLimits } from '../backend.ts'
import type { Refuse } from '../declare/refuse.ts'

/** A control group for each program: holds all its descendants whatever they do, and counts them (B11, B12). */
export interface CgroupPlan {
  /** A folder of the cgroup file system in which groups may be made. */
  readonly folder: string
  /** The most processes and threads of one program; undefined where nothing limits them. */
  readonly processes: number | undefined
}

/**
 * What the option `cgroup` means for a tool. Makes a group and takes it away again, so that what is declared and cannot be
 * kept is refused when the tool is registered.
 */
export function cgroupFor(
  folder: string | undefined,
  limits: ProcessLimits,
  refuse: Refuse,
): CgroupPlan | undefined {
  if (folder === undefined) return undefined
  const probe = join(folder, `callgate-probe-${process.pid}`)
  try {
    mkdirSync(probe)
  } catch (error) {
    return refuse(
      'cgroup-unavailable',
      `no control group can be made in ${folder} (${String(error)}).`,
      'Name a folder of the cgroup file system that the gateway may write, or remove the option cgroup.',
    )
  }
  const [isGroup, counts] = ['cgroup.procs', 'pids.max'].map((file) =>
    existsSync(join(probe, file)),
  )
  rmdirSync(probe)
  if (isGroup !== true) {
    return refuse(
      'cgroup-unavailable',
      `${folder} is no folder of the cgroup file system.`,
      'Name one, such as /sys/fs/cgroup/callgate, or remove the option cgroup.',
    )
  }
  if (limits.processes !== undefined && counts !== true) {
    return refuse(
      'limits-unavailable',
      `it limits processes, and the groups in ${folder} do not count them.`,
      'Enable the controller "pids" for that folder, or remove limits.processes.',
    )
  }
  return { folder, processes: limits.processes }
}
