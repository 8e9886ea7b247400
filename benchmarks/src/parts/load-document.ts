// Loads an OpenAPI document in a process of its own: `load-document.ts PACKAGE DOCUMENT`, where PACKAGE is the file of
// the adapter. Prints what it cost as JSON.
import { readFileSync } from 'node:fs'

import type * as Adapter from '@callgate/adapter-http'

import { silentContext, silentHost } from './silent-host.ts'

const [entry = '', path = ''] = process.argv.slice(2)
const { httpAdapter } = (await import(entry)) as typeof Adapter
const documents = [{ name: 'api', document: path, server: 'https://api.example.com' }]
const startedAt = performance.now()
const instance = httpAdapter({ documents }).create(silentHost)
await instance.start?.(silentContext.signal)
const tools = (await instance.discover?.(silentContext.signal)) ?? []
const ms = performance.now() - startedAt
console.log(JSON.stringify({ tools: tools.length, ms, kilobytes: highestMemory() }))

/** The peak since this program was started; getrusage(2) would count what its parent held before. */
function highestMemory(): number {
  if (process.platform !== 'linux') return process.memoryUsage().rss / 1024
  return Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
}
