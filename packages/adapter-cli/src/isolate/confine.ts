import type { RunPlan } from '../declare/plan.ts'
import type { Command } from '../fill/build-command.ts'
import type { RunRequest } from '../process/request.ts'
import { bubblewrapArguments } from './bubblewrap.ts'
import { limitArguments } from './limits.ts'

/** Puts the program of a call into what confines it: the limits around the program, the sandbox around both. */
export function confine(plan: RunPlan, command: Command, graceMs: number): RunRequest {
  const { program, wrappers, limits } = plan
  let vector: readonly string[] = [program.path, ...command.args]
  if (wrappers.prlimit !== undefined) {
    vector = [wrappers.prlimit, ...limitArguments(limits, wrappers.cgroup), ...vector]
  }
  if (wrappers.bubblewrap !== undefined) {
    vector = [wrappers.bubblewrap, ...bubblewrapArguments(plan), ...vector]
  }
  if (wrappers.isolator !== undefined) {
    const { workingDir, sandbox } = plan
    const own = wrappers.isolator.arguments({ program: program.path, workingDir, sandbox })
    vector = [wrappers.isolator.path, ...own, ...vector]
  }
  const [file = program.path, ...args] = vector
  return {
    program: { path: program.path, identity: program.identity },
    file,
    args,
    cwd: plan.workingDir,
    env: plan.environment,
    stdin: command.stdin,
    graceMs,
    statusDescriptor: wrappers.bubblewrap !== undefined,
    cgroup: wrappers.cgroup,
  }
}
