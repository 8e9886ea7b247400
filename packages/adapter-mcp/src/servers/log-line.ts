import type { Logger } from '@callgate/spec'

import { cleanJson } from '../text/clean-json.ts'
import { cleanText } from '../text/clean.ts'

const longest = 1000
const grave = new Set(['warning', 'error', 'critical', 'alert', 'emergency'])

/** Hands on what a server says in its log: cleaned, cut, and never louder than a warning of the host's. */
export function logLine(log: Logger, server: string, level: string, data: unknown): void {
  const text = typeof data === 'string' ? data : (JSON.stringify(cleanJson(data)) ?? '')
  const line = cleanText(text.slice(0, longest))
  log[grave.has(level) ? 'warn' : 'debug']('mcp: the server logs', { server, line })
}
