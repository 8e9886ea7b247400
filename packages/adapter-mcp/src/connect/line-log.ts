import type { Logger } from '@callgate/spec'

const windowMs = 1000
const linesPerWindow = 100
const longest = 1000

/** Logs lines of an output of a server, so many a second, and how many were left out. */
export function lineLog(
  server: string,
  output: 'stdout' | 'stderr',
  log: Logger,
  shown: (text: string) => string,
): (line: string) => void {
  let since = -Infinity
  let count = 0
  return (line) => {
    const now = performance.now()
    if (now - since >= windowMs) {
      const leftOut = count - linesPerWindow
      if (leftOut > 0)
        log.debug(`mcp: lines of ${output} were left out`, { server, lines: leftOut })
      since = now
      count = 0
    }
    count += 1
    if (count <= linesPerWindow) {
      log.debug(`mcp: ${output}`, { server, line: startOf(line, longest, shown) })
    }
  }
}

const margin = 4096

/** The start of a line as it may be shown: cut behind the secrets, since half of one would not be known again. */
export function startOf(line: string, length: number, shown: (text: string) => string): string {
  return shown(line.slice(0, length + margin)).slice(0, length)
}
