import type { Isolation, ProcessLimits } from '../backend.ts'
import { findProgram } from '../declare/program.ts'
import type { Refuse } from '../declare/refuse.ts'
import type { Settings } from '../declare/settings.ts'
import type { CliOptions } from '../options.ts'
import { cgroupFor, type CgroupPlan } from './cgroup.ts'
import type { Isolator } from './isolator.ts'
import { limitArguments } from './limits.ts'

/** The programs that confine another one; undefined where they are not needed. */
export interface Wrappers {
  /** Absolute paths. */
  readonly bubblewrap: string | undefined
  readonly prlimit: string | undefined
  readonly isolator:
    | { readonly path: string; readonly arguments: Isolator['arguments'] }
    | undefined
  readonly cgroup: CgroupPlan | undefined
}

/**
 * Finds what a tool's isolation and limits need. Reads the disk.
 *
 * What is declared and not there is refused; nothing runs with less than was declared (B13).
 */
export function wrappersFor(
  isolation: Isolation,
  limits: ProcessLimits,
  { options, searchPath }: Settings,
  refuse: Refuse,
): Wrappers {
  const find = (name: string): string | undefined =>
    process.platform === 'linux' ? findProgram(name, searchPath)?.path : undefined
  const cgroup = cgroupFor(options.cgroup, limits, refuse)
  const needsPrlimit = limitArguments(limits, cgroup).length > 0
  const bubblewrap = isolation === 'bubblewrap' ? find('bwrap') : undefined
  const prlimit = needsPrlimit ? find('prlimit') : undefined
  if (isolation === 'bubblewrap' && bubblewrap === undefined) {
    refuse(
      'sandbox-unavailable',
      'it is to run in bubblewrap, and there is no bwrap here.',
      'Install bubblewrap (Linux), or declare isolation: none and know what that means.',
    )
  }
  if (needsPrlimit && prlimit === undefined) {
    refuse(
      'limits-unavailable',
      'it has limits, and there is no prlimit here to set them.',
      'Install util-linux (Linux), or remove limits.',
    )
  }
  if (cgroup === undefined) refuseForRoot(limits, refuse)
  const isOwn = isolation !== 'none' && isolation !== 'bubblewrap'
  const isolator = isOwn ? isolatorFor(isolation, options, searchPath, refuse) : undefined
  return { bubblewrap, prlimit, isolator, cgroup }
}

function refuseForRoot({ processes }: ProcessLimits, refuse: Refuse): void {
  if (processes === undefined || process.getuid?.() !== 0) return
  refuse(
    'limits-unavailable',
    'it limits processes, and the kernel does not hold root to that (setrlimit(2), RLIMIT_NPROC).',
    'Run the gateway as a user of its own, give the adapter a cgroup, or remove limits.processes.',
  )
}

function isolatorFor(
  isolation: Isolation,
  { isolators = {} }: CliOptions,
  searchPath: string,
  refuse: Refuse,
): Wrappers['isolator'] {
  const isolator = Object.hasOwn(isolators, isolation) ? isolators[isolation] : undefined
  if (isolator === undefined) {
    const known = ['none', 'bubblewrap', ...Object.keys(isolators)]
    return refuse(
      'isolation-unknown',
      `it is to run in "${isolation}", which the adapter does not know.`,
      `Use one of ${known.join(', ')}, or give the adapter an isolator of that name.`,
    )
  }
  const found = findProgram(isolator.program, searchPath)
  if (found === undefined) {
    return refuse(
      'sandbox-unavailable',
      `it is to run in "${isolation}", and there is no ${isolator.program} here.`,
      `Install ${isolator.program}, or declare another isolation.`,
    )
  }
  return { path: found.path, arguments: (isolated) => isolator.arguments(isolated) }
}
