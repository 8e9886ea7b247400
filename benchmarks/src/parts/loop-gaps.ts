// Holds so many megabytes and starts programs: `loop-gaps.ts MEGABYTES`. Prints how long the event loop stood still.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

import { cliAdapter } from '@callgate/adapter-cli'

import { median } from './latency.ts'
import { declaredTool } from './refused-call.ts'
import { silentContext, silentHost } from './silent-host.ts'

/** The longest turn of the event loop in each of some calls, in milliseconds. */
export interface Gaps {
  readonly name: string
  /** Of the call with the shortest one: what the call itself takes, and no other work of the machine. */
  readonly least: number
  readonly median: number
}

const calls = 40
const program = '/bin/true'
const tool = declaredTool({ adapter: 'cli', command: program, argsTemplate: [] })
const call = { callId: 'c', tool, arguments: {}, idempotencyKey: 'c', attempt: 1 }

// As a gateway does: the adapter starts first, and the memory comes later.
const instance = cliAdapter({}).create(silentHost)
await instance.start?.(silentContext.signal)
const held = Array.from({ length: Number(process.argv[2]) }, () => Buffer.alloc(1024 ** 2, 1))
try {
  const gaps = [
    await gapsOf('nothing for 5 ms', () => sleep(5)),
    await gapsOf('child_process.spawn', async () => {
      const child = spawn(program, [], { stdio: ['ignore', 'pipe', 'pipe'], env: {} })
      child.stdout.resume()
      child.stderr.resume()
      await once(child, 'close')
    }),
    await gapsOf('adapter.invoke', () => instance.invoke(call, silentContext)),
  ]
  console.log(JSON.stringify(gaps))
} finally {
  await instance.stop?.({ graceMs: 1000 })
  held.length = 0
}

async function gapsOf(name: string, work: () => Promise<unknown>): Promise<Gaps> {
  for (let warm = 0; warm < 5; warm += 1) await work()
  const gaps: number[] = []
  for (let index = 0; index < calls; index += 1) gaps.push(await longestTurn(work))
  return { name, least: Math.min(...gaps), median: median(gaps) }
}

/** Lets the loop turn as fast as it can while the work goes on. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  const state = { longest: 0, goesOn: true }
  const watch = async (): Promise<void> => {
    for (let last = performance.now(); state.goesOn;) {
      await nextTurn()
      const now = performance.now()
      state.longest = Math.max(state.longest, now - last)
      last = now
    }
  }
  const watching = watch()
  await work()
  state.goesOn = false
  await watching
  return state.longest
}
