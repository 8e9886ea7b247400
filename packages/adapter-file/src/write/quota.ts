import { refuse } from '../guard/refuse.ts'
import type { Limits } from '../options.ts'

/** What all calls of an adapter have written (C12). */
export interface Quota {
  /** @throws ToolError `guard_refused` with the rule quota when a file is too large. */
  checkSize(bytes: number, parameter: string): void
  /** Counts a file that is about to be written. @throws ToolError the same when a limit is used up. */
  take(bytes: number, isNew: boolean, parameter?: string): void
}

export function quotaOf(limits: Limits): Quota {
  let written = 0
  let created = 0
  const checkSize = (bytes: number, parameter: string): void => {
    if (bytes <= limits.fileBytes) return
    refuse('quota', parameter, `A file may have ${limits.fileBytes} bytes; this has ${bytes}.`)
  }
  return {
    checkSize,
    take(bytes, isNew, parameter = 'path') {
      checkSize(bytes, parameter)
      if (written + bytes > limits.writtenBytes) {
        const message = `All writing together is limited to ${limits.writtenBytes} bytes.`
        refuse('quota', parameter, message)
      }
      if (isNew && created >= limits.createdFiles) {
        refuse('quota', parameter, `Only ${limits.createdFiles} files may be made.`)
      }
      written += bytes
      if (isNew) created += 1
    },
  }
}
