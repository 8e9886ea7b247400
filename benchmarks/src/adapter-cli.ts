import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { cliAdapter, type CliOptions } from '@callgate/adapter-cli'
import { createGateway, type Gateway } from '@callgate/core'
import type { AdapterInstance } from '@callgate/spec'

import { measure, printTable } from './measure.ts'
import { compareLatency, type Contender } from './parts/latency.ts'
import type { Gaps } from './parts/loop-gaps.ts'
import { declaredTool, refusedCall, thrownError } from './parts/refused-call.ts'
import { silentContext, silentHost } from './parts/silent-host.ts'

const program = '/bin/true'
const nothing = declaredTool({ adapter: 'cli', command: program, argsTemplate: [] })

/**
 * Measures what a program as a tool costs over bare `child_process.spawn` with two pipes, in the same run and in turns:
 * the adapter with and without its small process, and the whole pipeline of the gateway. Then how long the event loop
 * of a process that holds much memory stands still for a start, and what the checks of arguments cost.
 */
export async function run(): Promise<void> {
  const amount = process.env['CI'] ? { rounds: 15, calls: 200 } : { rounds: 15, calls: 40 }
  const direct = await started({ runner: false })
  const small = await started({})
  const gateway = createGateway({ adapters: [cliAdapter({})], tools: [nothing] })
  try {
    await gateway.start()
    const contenders = [
      { name: 'child_process.spawn', call: spawnBare },
      throughAdapter('adapter.invoke, runner: false', direct),
      throughAdapter('adapter.invoke', small),
      throughGateway(gateway),
    ]
    for (const inFlight of [1, 8]) {
      // oxlint-disable-next-line no-await-in-loop -- measurements must not overlap
      await compareLatency(program, contenders, { ...amount, inFlight })
    }
    await measureChecks(small)
  } finally {
    await gateway.close()
    await small.stop?.({ graceMs: 1000 })
    await direct.stop?.({ graceMs: 1000 })
  }
  measureGaps()
}

async function started(options: CliOptions): Promise<AdapterInstance> {
  const instance = cliAdapter(options).create(silentHost)
  await instance.start?.(silentContext.signal)
  return instance
}

/** What the adapter does at least: both outputs read, the end waited for. */
async function spawnBare(): Promise<void> {
  const child = spawn(program, [], { stdio: ['ignore', 'pipe', 'pipe'], env: {} })
  child.stdout.resume()
  child.stderr.resume()
  await once(child, 'close')
}

function throughAdapter(name: string, instance: AdapterInstance): Contender {
  const call = { callId: 'c', tool: nothing, arguments: {}, idempotencyKey: 'c', attempt: 1 }
  return { name, call: () => instance.invoke(call, silentContext) }
}

function throughGateway(gateway: Gateway): Contender {
  return {
    name: 'gateway.dispatch',
    call: async () => {
      const { status, error } = await gateway.dispatch({ name: 'local::tool', arguments: {} })
      if (status !== 'ok') throw new Error(error?.message)
    },
  }
}

/** What filling a template with checked values costs: a path that is looked up, a URL, plain texts, the last refused. */
async function measureChecks(instance: AdapterInstance): Promise<void> {
  const backend = { adapter: 'cli', command: program }
  const text = declaredTool({ ...backend, argsTemplate: ['{a}', '{b}'] }, ['a', 'b'])
  const url = declaredTool(
    { ...backend, argsTemplate: ['{u}', '{b}'], arguments: { u: { kind: 'url' } } },
    ['u', 'b'],
  )
  const path = declaredTool(
    { ...backend, argsTemplate: ['{p}', '{b}'], arguments: { p: { kind: 'path' } } },
    ['p', 'b'],
  )
  const rows = await measure([
    thrownError,
    refusedCall('two texts, one refused', instance, text, { a: 'some text', b: '-x' }),
    refusedCall('a URL and a text that is refused', instance, url, {
      u: 'https://host.example/a?b=c',
      b: '-x',
    }),
    refusedCall('a path and a text that is refused', instance, path, {
      p: 'src/main.ts',
      b: '-x',
    }),
  ])
  printTable('Checks of arguments, one call', rows)
}

/** How long the event loop stands still, in a process that holds memory. */
function measureGaps(): void {
  const script = fileURLToPath(new URL('parts/loop-gaps.ts', import.meta.url))
  console.log(
    '\nLongest time that the event loop stands still during a call, ms: least and median of 40',
  )
  for (const megabytes of [50, 1000]) {
    const args = ['--conditions=@callgate/source', script, `${megabytes}`]
    const output = execFileSync(process.execPath, args, { encoding: 'utf8' })
    for (const { name, least, median } of JSON.parse(output) as readonly Gaps[]) {
      const figures = `${least.toFixed(2).padStart(8)} ${median.toFixed(2).padStart(8)}`
      console.log(`  ${`${megabytes} MB held, ${name}`.padEnd(44)} ${figures}`)
    }
  }
}
