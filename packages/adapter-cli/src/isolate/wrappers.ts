import type { Isolation, ProcessLimits } from '../backend.ts'
import { findProgram } from '../declare/program.ts'
import type { Refuse } from '../declare/refuse.ts'

/** The programs that confine another one; undefined where they are not needed. */
export interface Wrappers {
  /** Absolute paths. */
  readonly bubblewrap: string | undefined
  readonly prlimit: string | undefined
}

/**
 * Finds what a tool's isolation and limits need. Reads the disk.
 *
 * What is declared and not there is refused; nothing runs with less than was declared (B13).
 */
export function wrappersFor(
  isolation: Isolation,
  limits: ProcessLimits,
  searchPath: string,
  refuse: Refuse,
): Wrappers {
  const find = (name: string): string | undefined =>
    process.platform === 'linux' ? findProgram(name, searchPath)?.path : undefined
  const needsPrlimit = Object.keys(limits).length > 0
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
  return { bubblewrap, prlimit }
}
