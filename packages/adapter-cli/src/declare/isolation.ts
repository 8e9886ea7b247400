import type { Isolation, SandboxOptions } from '../backend.ts'
import { withWorkspace } from './folders.ts'
import type { RunPlan } from './plan.ts'
import type { Refuse } from './refuse.ts'

/** A tool may be isolated where its adapter says nothing, and never otherwise than its adapter says (R8.7). */
export function isolationOf(
  declared: Isolation | undefined,
  floor: Isolation | undefined,
  refuse: Refuse,
): Isolation {
  if (floor !== undefined && floor !== 'none' && declared !== undefined && declared !== floor) {
    refuse(
      'isolation-weakened',
      `the adapter runs its tools in ${floor}; a tool cannot change that.`,
      'Remove isolation from the tool, or declare it with an adapter that has no isolation.',
    )
  }
  return declared ?? floor ?? 'none'
}

/** Fills in what a sandbox declaration leaves out. */
export function sandboxOf(sandbox: SandboxOptions, workspace: string): RunPlan['sandbox'] {
  const place = (path: string): string => withWorkspace(path, workspace)
  return {
    readable: (sandbox.readable ?? []).map(place),
    writable: (sandbox.writable ?? []).map(place),
    network: sandbox.network ?? false,
  }
}
