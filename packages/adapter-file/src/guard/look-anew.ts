import { ToolError } from '@callgate/spec'

import { maxLooks } from './locate.ts'
import { codeOf } from './system-error.ts'

/**
 * Looks at a file and opens it. Where entries are names, it can be exchanged in between: then it is looked at anew, as
 * often as `locate` does. Each look decides alone.
 */
export function lookAnew<Result>(look: () => Result): Result {
  for (let looks = 1; ; looks += 1) {
    try {
      return look()
    } catch (error) {
      const what = ToolError.isInstance(error) ? error.rule : codeOf(error)
      if (!exchanged.has(what) || looks === maxLooks) throw error
    }
  }
}

const exchanged: ReadonlySet<string | undefined> = new Set(['symlink', 'ENOENT', 'ELOOP'])
