import type { Logger } from '@callgate/spec'

import { startOf } from './line-log.ts'

const shownLines = 3
const shownLength = 200

/**
 * Logs the first lines that a server writes between its messages. Further ones only go where `debug` wants them.
 */
export function noiseLog(
  server: string,
  log: Logger,
  shown: (text: string) => string,
  debug: ((line: string) => void) | undefined,
): (line: string, count: number) => void {
  return (line, count) => {
    debug?.(line)
    if (count > shownLines) return
    log.warn('mcp: the server writes something else than messages to its output', {
      server,
      line: startOf(line, shownLength, shown),
    })
  }
}
