import { ToolError } from '@callgate/spec'

import type { Entry } from '../guard/entry.ts'
import { locate } from '../guard/locate.ts'
import { fail } from '../guard/refuse.ts'
import type { OperationCall } from '../operations/operation.ts'
import { parsePath, relativePath } from '../path/parse-path.ts'
import type { GlobPlan } from './glob-pattern.ts'
import { kernelGlobs } from './ripgrep.ts'

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
 * The folder is the parameter `dir`, and below it the one in which a glob begins; undefined comes back where that one is
 * not there, so that nothing fits the glob.
 */
export async function scan<Result>(
  call: OperationCall,
  plan: GlobPlan | undefined,
  look: (scan: Scan) => Promise<Result>,
): Promise<Result | undefined> {
  const dir = parsePath(call.args['dir'] ?? '.', 'dir')
  const begin = parsePath(plan?.folder ?? '.', 'glob')
  folderAt(call, dir.parts, 'dir').close()
  const parts = [...dir.parts, ...begin.parts]
  const folder = begin.parts.length === 0 ? folderAt(call, parts, 'dir') : beginOf(call, parts)
  if (folder === undefined) return undefined
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), call.shared.limits.scanMs)
  try {
    const signal = AbortSignal.any([call.context.signal, late.signal])
    return await look({ parts, folder, signal, isLate: () => late.signal.aborted })
  } finally {
    clearTimeout(timer)
    folder.close()
  }
}

function folderAt({ root }: OperationCall, parts: readonly string[], parameter: string): Entry {
  const folder = locate(root, relativePath(parts), parameter)
  if (folder.stat.isDirectory()) return folder
  folder.close()
  return fail('not-a-folder', parameter, 'It is a file.')
}

function beginOf(call: OperationCall, parts: readonly string[]): Entry | undefined {
  try {
    return folderAt(call, parts, 'glob')
  } catch (error) {
    if (ToolError.isInstance(error) && error.code === 'tool_failed') return undefined
    throw error
  }
}

/** Arguments that say which files ripgrep looks at. */
export function selection({ args, shared, root }: OperationCall): readonly string[] {
  return [
    `--max-depth=${shared.limits.depth}`,
    ...(args['hidden'] === true ? ['--hidden'] : []),
    // What the operator's own configuration of git ignores is not the workspace's affair.
    ...(args['ignored'] === true ? ['--no-ignore'] : ['--no-require-git', '--no-ignore-global']),
    ...kernelGlobs(root),
  ]
}
