import { refuse } from '../guard/refuse.ts'
import type { Limits } from '../options.ts'

/** What all calls of an adapter have written (C12). */
export interface Quota {
  /** @throws ToolError `guard_refused` with the rule quota when a file is too large or the limit is used up. */
  take(bytes: number, isNew: boolean): void
}

export function quotaOf(limits: Limits): Quota {
  let written = 0
  let created = 0
  return {
    take(bytes, isNew) {
      if (bytes > limits.fileBytes) {
        refuse('quota', 'content', `A file may have ${limits.fileBytes} bytes; this has ${bytes}.`)
      }
      if (written + bytes > limits.writtenBytes) {
        refuse(
          'quota',
          'content',
          `All writing together is limited to ${limits.writtenBytes} bytes.`,
        )
      }
      if (isNew && created >= limits.createdFiles) {
        refuse('quota', 'path', `Only ${limits.createdFiles} files may be made.`)
      }
      written += bytes
      if (isNew) created += 1
    },
  }
}
