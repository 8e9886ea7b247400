import { Buffer } from 'node:buffer'

const headLength = 4096
const tailLength = 256

/** A message that is so much larger than the limit, in bytes, is not waited for: to read on would cost as much as the server can write. */
export const endlessBytes: number = 256 * 1024 * 1024

/** What is kept of a message above the limit while the rest of it is skipped: enough to tell which request it answers. */
export interface Cut {
  add(part: Buffer): void
  /** The id in its head or at its end, if it could be read there. */
  id(): string | number | undefined
}

/** `text` is what came of the message so far. */
export function createCut(text: string): Cut {
  const head = text.slice(0, headLength)
  let tail = Buffer.from(text.slice(-tailLength))
  return {
    add: (part) => {
      tail = Buffer.concat([tail, part.subarray(-tailLength)]).subarray(-tailLength)
    },
    id: () => idInHead(head) ?? idInTail(tail.toString('latin1')),
  }
}

/** Only the id of the message itself, not one inside of its result. */
function idInHead(head: string): string | number | undefined {
  const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]]/g
  let depth = 0
  for (let found = tokens.exec(head); found !== null; found = tokens.exec(head)) {
    const [token] = found
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    else if (depth === 1 && token === '"id"') {
      const value = /^\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")/.exec(head.slice(tokens.lastIndex))?.[1]
      if (value !== undefined) return JSON.parse(value) as string | number
    }
  }
  return undefined
}

/** Some servers write the id last. */
function idInTail(tail: string): string | number | undefined {
  const found = /"id"\s*:\s*(-?\d+|"[^"\\]*")(?:\s*,\s*"jsonrpc"\s*:\s*"2\.0")?\s*\}\s*$/.exec(
    tail,
  )?.[1]
  return found === undefined ? undefined : (JSON.parse(found) as string | number)
}
