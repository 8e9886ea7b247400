import type { ProcessLimits } from '../backend.ts'
import type { CgroupPlan } from './cgroup.ts'

/** The arguments of prlimit(1) up to the program (B12); none where it has nothing to do. A control group counts itself. */
export function limitArguments(
  limits: ProcessLimits,
  cgroup: CgroupPlan | undefined,
): readonly string[] {
  const { cpuSeconds, memoryBytes, fileBytes, processes, openFiles } = limits
  const options: readonly (readonly [string, number | string | undefined])[] = [
    // SIGXCPU at the limit names the rule; SIGKILL follows a second later.
    ['cpu', cpuSeconds === undefined ? undefined : `${cpuSeconds}:${cpuSeconds + 1}`],
    ['as', memoryBytes],
    ['fsize', fileBytes],
    ['nproc', cgroup === undefined ? processes : undefined],
    ['nofile', openFiles],
  ]
  const set = options.flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}=${value}`],
  )
  return set.length === 0 ? [] : [...set, '--']
}
