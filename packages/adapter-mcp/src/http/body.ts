import type { Answer } from './answer.ts'

const excerptBytes = 64 * 1024

/** What a server says about a failure: the start of its answer, or nothing when that cannot be read. */
export async function readExcerpt(answer: Answer): Promise<string> {
  try {
    return await answer.text(excerptBytes)
  } catch {
    return ''
  }
}
