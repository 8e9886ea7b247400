import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { mcpAdapter } from '@callgate/adapter-mcp'
import { createGateway, type Gateway } from '@callgate/core'
import type { AdapterHost, AdapterInstance, BoundAdapter, ToolDefinition } from '@callgate/spec'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { httpActs, stdioActs } from '../src/mcp/chaos-acts.ts'
import { type Answered, deadAfterRest, type Load, runLoad } from '../src/mcp/chaos-load.ts'
import { type ChaosServers, startChaosServers } from '../src/mcp/chaos-servers.ts'
import { hasMembers } from '../src/mcp/process-groups.ts'

const seed = 20_261_130
const long = Boolean(process.env['CI'])
const loadMs = long ? 120_000 : 10_000
const memoryMarginBytes = 8 * 1024 ** 2

/** Retries wherever that is said to be safe, so that a wrong word on that shows as a call that ran twice. */
function retried(adapter: BoundAdapter): BoundAdapter {
  const retry: NonNullable<ToolDefinition['retry']> = {
    maxRetries: 2,
    backoff: 'fixed',
    initialDelayMs: 20,
  }
  const create = adapter.create.bind(adapter)
  return Object.assign(adapter, {
    create: (host: AdapterHost): AdapterInstance => {
      const instance = create(host)
      const discover: NonNullable<AdapterInstance['discover']> = async (signal) => {
        const tools = (await instance.discover?.(signal)) ?? []
        return tools.map((tool) => ({ ...tool, retry }))
      }
      return { ...instance, discover }
    },
  })
}

/** What is held in the heap and beside it, after a collection. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < 3; round += 1) collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Those of the groups that still have members; the killed ones get a moment to be gone. */
async function survivors(groups: readonly number[]): Promise<readonly number[]> {
  const end = performance.now() + 3000
  let alive = groups.filter(hasMembers)
  while (alive.length > 0 && performance.now() < end) {
    // oxlint-disable-next-line no-await-in-loop -- asks again
    await new Promise((resolve) => {
      setTimeout(resolve, 20)
    })
    alive = alive.filter(hasMembers)
  }
  return alive
}

/** Runs the load and keeps what came of it out of the heap, which is measured. */
async function runInto(file: string, load: Load): Promise<void> {
  writeFileSync(file, JSON.stringify(await runLoad(load)))
}

function countBy(answered: readonly Answered[], key: 'status' | 'code' | 'act'): object {
  const counts: Record<string, number> = {}
  for (const each of answered) {
    const value = each[key]
    if (value !== undefined) counts[value] = (counts[value] ?? 0) + 1
  }
  return counts
}

describe('twenty servers that misbehave at random', () => {
  let folder = ''
  let chaos: ChaosServers
  let gateway: Gateway
  let answered: readonly Answered[] = []
  let grownBytes = 0
  let runs: readonly string[] = []
  let left: readonly number[] = []
  let dead: readonly string[] = []

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'callgate-chaos-'))
    chaos = await startChaosServers(folder, 12, 8)
    const adapter = mcpAdapter({ servers: chaos.servers, startWaitMs: 20_000 })
    gateway = createGateway({ adapters: [retried(adapter)] })
    await gateway.start()
    const acts = Object.fromEntries(
      Object.keys(chaos.servers).map((name) => [
        name,
        name.startsWith('http') ? httpActs : stdioActs,
      ]),
    )
    const load: Load = { gateway, acts, seed, forMs: loadMs, factor: long ? 1 : 3 }
    const warm = `${folder}/warm.json`
    const main = `${folder}/main.json`
    await runInto(warm, { ...load, seed: seed + 1, forMs: long ? 10_000 : 2000 })
    const before = heldBytes()
    await runInto(main, load)
    grownBytes = heldBytes() - before
    if (long) dead = await deadAfterRest(gateway, Object.keys(chaos.servers))
    await gateway.close()
    answered = [warm, main].flatMap((file) => JSON.parse(readFileSync(file, 'utf8')) as Answered[])
    runs = chaos.runs()
    left = await survivors(chaos.started())
    console.log(
      `seed ${String(seed)}: ${String(answered.length)} calls, ${String(runs.length)} runs,`,
      `${String(chaos.started().length)} processes, ${String(grownBytes)} bytes more`,
      countBy(answered, 'status'),
      countBy(answered, 'code'),
    )
  }, loadMs + 240_000)

  afterAll(async () => {
    await chaos.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('leave no call unanswered', () => {
    expect(answered.length).toBeGreaterThan(500)
    expect(answered.filter(({ status }) => status === 'unanswered')).toEqual([])
  })

  it('run no call twice', () => {
    const seen = new Set<string>()
    const again = runs.filter((id) => seen.size === seen.add(id).size)
    expect(again).toEqual([])
  })

  it('ran every call that is reported as done, and gave each its own answer', () => {
    const ran = new Set(runs)
    const done = answered.filter(({ status }) => status === 'ok')
    expect(done.filter(({ id, own }) => !ran.has(id) || !own)).toEqual([])
  })

  it('ran no call that is reported as not started', () => {
    const ran = new Set(runs)
    const refused = answered.filter(({ outcome }) => outcome === 'not_started')
    expect(refused.filter(({ id }) => ran.has(id))).toEqual([])
  })

  it('leave no process, and none of what they started', () => {
    expect(left).toEqual([])
  })

  it.skipIf(!long)('come back, each of them (a minute or two, only where CI is set)', () => {
    expect(dead).toEqual([])
  })

  it('leave memory at its level', () => {
    expect(grownBytes).toBeLessThan(memoryMarginBytes)
  })
})
