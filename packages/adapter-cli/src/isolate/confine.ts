import type { RunPlan } from '../declare/plan.ts'
import type { Command } from '../fill/build-command.ts'
import type { RunRequest } from '../process/request.ts'

/** Puts the program of a call into what confines it. */
export function confine(plan: RunPlan, command: Command, graceMs: number): RunRequest {
  const { path, identity } = plan.program
  return {
    program: { path, identity },
    file: path,
    args: command.args,
    cwd: plan.workingDir,
    env: plan.environment,
    stdin: command.stdin,
    graceMs,
    statusDescriptor: false,
  }
}
