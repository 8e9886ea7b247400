import type { InvokeContext } from '@callgate/spec'

import type { Stream } from '../process/request.ts'
import { lastText } from './last-text.ts'

const everyMs = 50
const longestText = 16_384

/** Shows output while it comes. */
export interface ProgressFeed {
  add(chunk: Uint8Array): void
  finish(): void
}

/**
 * Reports one output as progress: at most every 50 ms, and of what came meanwhile at most the last 16 KiB, so that
 * a flood costs nobody anything. The whole is in the result.
 */
export function progressFeed(
  stream: Stream,
  encoding: string,
  context: Pick<InvokeContext, 'progress'>,
): ProgressFeed {
  let decoder: TextDecoder | undefined
  let pending = ''
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    timer = undefined
    if (pending === '') return
    context.progress({ note: stream, partial: { type: 'text', text: pending } })
    pending = ''
  }
  return {
    add: (chunk) => {
      decoder ??= new TextDecoder(encoding)
      pending = lastText(pending + decoder.decode(chunk, { stream: true }), longestText)
      timer ??= setTimeout(flush, everyMs)
    },
    finish: () => {
      clearTimeout(timer)
      flush()
    },
  }
}
