import type { AdapterOutput, InvokeContext } from '@callgate/spec'

import type { RunPlan } from './declare/plan.ts'
import type { Command } from './fill/build-command.ts'
import { confine } from './isolate/confine.ts'
import { abortedError, lostError, overflowError, refusedError } from './output/faults.ts'
import { openIntake } from './output/intake.ts'
import { partialOutput, resultOf, throwOnLimit, throwOnMeaning } from './output/result.ts'
import type { Launcher } from './process/request.ts'

/**
 * Runs a command and reports what it did (R8.1, R10.1).
 *
 * @throws ToolError when nothing ran, when the signal ended it, or when a limit did.
 */
export async function runCommand(
  plan: RunPlan,
  command: Command,
  launcher: Launcher,
  graceMs: number,
  context: InvokeContext,
): Promise<AdapterOutput> {
  const { signal, log } = context
  if (signal.aborted) throw abortedError(signal, 'no')
  const { sink, overflow, finish } = openIntake(plan, context)
  const request = confine(plan, command, graceMs)
  const end = await launcher.run(request, sink, AbortSignal.any([signal, overflow]))
  const outputs = await finish(end.kind === 'exited', signal)
  if (end.kind === 'refused') throw refusedError(plan, end)
  if (end.kind === 'lost') throw lostError()
  const partial = (): object => partialOutput(outputs, plan.encoding)
  if (overflow.aborted && !signal.aborted) throw overflowError(plan, partial())
  if (end.kind === 'aborted') {
    if (end.survivors > 0) log.error('processes could not be ended', { count: end.survivors })
    throw abortedError(signal, 'unknown', partial())
  }
  throwOnLimit(plan, end, outputs)
  throwOnMeaning(plan, end, outputs)
  return resultOf(plan, end, outputs)
}
