import type { Entry } from '../guard/entry.ts'
import { locate } from '../guard/locate.ts'
import { fail } from '../guard/refuse.ts'
import type { OperationCall } from '../operations/operation.ts'
import { parsePath, relativePath } from '../path/parse-path.ts'
import type { GlobPlan } from './glob-pattern.ts'

/** What a look through a folder is bounded by. */
export interface Scan {
  /** Names of the folder below the root. */
  readonly parts: readonly string[]
  readonly folder: Entry
  /** Ends with the call, or when the time is over. */
  readonly signal: AbortSignal
  /** Whether the time is over. */
  isLate(): boolean
}

/**
 * Holds a folder, and runs a look through it for as long as the limits permit.
 *
 * The folder is the parameter `dir`, and below it the one in which a glob begins.
 */
export async function scan<Result>(
  { root, args, context, shared }: OperationCall,
  plan: GlobPlan | undefined,
  look: (scan: Scan) => Promise<Result>,
): Promise<Result> {
  const dir = parsePath(args['dir'] ?? '.', 'dir')
  const begin = parsePath(plan?.folder ?? '.', 'glob')
  const parts = [...dir.parts, ...begin.parts]
  const parameter = begin.parts.length === 0 ? 'dir' : 'glob'
  const folder = locate(root, relativePath(parts), parameter)
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), shared.limits.scanMs)
  try {
    if (!folder.stat.isDirectory()) fail('not-a-folder', parameter, 'It is a file.')
    const signal = AbortSignal.any([context.signal, late.signal])
    return await look({ parts, folder, signal, isLate: () => late.signal.aborted })
  } finally {
    clearTimeout(timer)
    folder.close()
  }
}

/** Arguments that say which files ripgrep looks at. */
export function selection({ args, shared, root }: OperationCall): readonly string[] {
  return [
    `--max-depth=${shared.limits.depth}`,
    ...(args['hidden'] === true ? ['--hidden'] : []),
    // What the operator's own configuration of git ignores is not the workspace's affair.
    ...(args['ignored'] === true ? ['--no-ignore'] : ['--no-require-git', '--no-ignore-global']),
    ...(root.realPath() === '/' ? ['--glob=!/proc', '--glob=!/sys', '--glob=!/dev'] : []),
  ]
}
