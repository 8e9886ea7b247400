import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { createGateway, type Gateway } from '@callgate/core'

import { inTurns, measure, type Chunk } from './measure.ts'
import { manyTools, wireNameOf } from './parts/many-tools.ts'

const toolCount = 10_000
const context = { sessionId: 's', roles: ['operator'] }

/** What ten thousand tools cost in time and in memory, and what importing the core costs. */
export async function run(): Promise<void> {
  await catalogue()
  heap()
  await startUp()
}

function timed<T>(work: () => T): { readonly ms: number; readonly value: T } {
  const startedAt = performance.now()
  const value = work()
  return { ms: performance.now() - startedAt, value }
}

/** The fastest of five, each with tools of its own. */
function registered(): { readonly ms: number; readonly gateway: Gateway } {
  let best: { readonly ms: number; readonly value: Gateway } | undefined
  for (let round = 0; round < 5; round++) {
    const tools = manyTools(toolCount)
    const one = timed(() => createGateway({ tools }))
    if (best === undefined || one.ms < best.ms) best = one
  }
  return { ms: best!.ms, gateway: best!.value }
}

async function catalogue(): Promise<void> {
  const { ms: registering, gateway } = registered()
  const { ms: indexing } = timed(() => gateway.registry.search(['warm']))
  const searches = Array.from(
    { length: 2000 },
    (_, n) => timed(() => gateway.registry.search([`reports of project ${n % 977}`])).ms,
  ).toSorted((a, b) => a - b)
  const names = Array.from({ length: toolCount }, (_, n) => wireNameOf(n))
  const [lookUp] = await measure([
    {
      name: 'look-up',
      run(count) {
        for (let n = 0; n < count; n++) gateway.registry.get(names[(n * 7919) % toolCount]!)
      },
    },
  ])
  const listings = Array.from({ length: 20 }, () => timed(() => gateway.modelTools(context)).ms)
  console.log(`\n${toolCount} tools of three parameters
  register             ${registering.toFixed(0)} ms
  index                ${indexing.toFixed(0)} ms, at the first search
  search               median ${searches[1000]!.toFixed(2)} ms, p99 ${searches[1980]!.toFixed(2)} ms
  look-up              ${lookUp!.us.toFixed(3)} µs
  what a turn shows    ${listings[0]!.toFixed(1)} ms the first time, then ${Math.min(...listings).toFixed(1)} ms`)
}

function heap(): void {
  const bytesOf = (what: string): number => {
    const path = fileURLToPath(new URL('./parts/heap.ts', import.meta.url))
    const flags = ['--expose-gc', '--conditions=@callgate/source']
    const printed = execFileSync(process.execPath, [...flags, path, what], { encoding: 'utf8' })
    return (JSON.parse(printed) as { bytes: number }).bytes
  }
  const ajv = bytesOf('ajv')
  const row = (name: string, bytes: number): string =>
    `  ${name.padEnd(50)} ${(bytes / 1e6).toFixed(2).padStart(6)} MB ${(bytes / ajv).toFixed(2).padStart(6)} ×`
  console.log(`\nheap of 1,000 tools of three parameters
${row('the definitions, one compiled ajv validator each', ajv)}
${row('the same, after every validator was called', bytesOf('ajvCalled'))}
${row('the definitions alone, in a map', bytesOf('plain'))}
${row('Callgate, before any call', bytesOf('registered'))}
${row('Callgate, after every tool was called', bytesOf('called'))}
${row('Callgate, after every call needed a repair', bytesOf('repaired'))}`)
}

const packages = ['core', 'coercion', 'hooks', 'spec']

/** Processor time of a process that imports one thing and ends, as published: no condition, no type stripping. */
async function startUp(): Promise<void> {
  const built = packages.every((name) =>
    existsSync(new URL(`../../packages/${name}/dist/index.js`, import.meta.url)),
  )
  if (!built) {
    console.log('\nimport: nothing is built; `npx -y pnpm@12 run build` first')
    return
  }
  const imports = ['', `import 'ajv/dist/2020.js'`, `import '@callgate/core'`]
  const [bare, ajv, core] = await inTurns(imports, 20, async (source) => cpuOf(source))
  const ms = ({ cpuUs }: Chunk, { cpuUs: less }: Chunk): string =>
    ((cpuUs - less) / 1000).toFixed(1)
  console.log(`\nimport, processor time over that of a bare process (${(bare!.cpuUs / 1000).toFixed(0)} ms), mean of 20
  ajv               ${ms(ajv!, bare!)} ms
  @callgate/core    ${ms(core!, bare!)} ms, which is ${ms(core!, ajv!)} ms over ajv`)
}

function cpuOf(source: string): Chunk {
  const print = `const { user, system } = process.cpuUsage(); console.log(user + system)`
  const flags = ['--input-type=module', '--eval']
  const printed = execFileSync(process.execPath, [...flags, `${source}\n${print}`], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  return { us: Number(printed), cpuUs: Number(printed) }
}
