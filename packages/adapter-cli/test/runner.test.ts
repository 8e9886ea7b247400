import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { describe, expect, it } from 'vitest'

import { cliAdapter } from '../src/index.ts'
import { call, tool, withInstance } from './host.ts'
import { parentOf, processesWith, uniqueWord, until } from './processes.ts'

const hostFile = fileURLToPath(new URL('fixtures/host.ts', import.meta.url))
const largeHostFile = fileURLToPath(new URL('fixtures/large-host.ts', import.meta.url))
const runnerFile = fileURLToPath(new URL('../src/runner.ts', import.meta.url))

function startHost(...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, ['--conditions=@callgate/source', hostFile, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** Programs with the word, the host itself left out. */
function programs(word: string): readonly number[] {
  return processesWith(word, hostFile)
}

function runnersOf(parent: number): readonly number[] {
  return processesWith(runnerFile).filter((pid) => parentOf(pid) === parent)
}

describe.runIf(process.platform === 'linux')('the process that starts programs', () => {
  it('ends everything when the gateway is killed', async () => {
    const word = uniqueWord()
    const host = startHost(word)
    await until(() => programs(word).length >= 2)
    const runners = runnersOf(host.pid!)
    expect(runners).toHaveLength(1)
    host.kill('SIGKILL')
    await until(() => programs(word).length === 0)
    await until(() => processesWith(runnerFile).every((pid) => !runners.includes(pid)))
  })

  it('is followed by one that ends what it left, when both it and the gateway are killed', async () => {
    const word = uniqueWord()
    const host = startHost(word)
    await until(() => programs(word).length >= 2)
    const [runner] = runnersOf(host.pid!)
    process.kill(runner!, 'SIGSTOP')
    host.kill('SIGKILL')
    await once(host, 'exit')
    process.kill(runner!, 'SIGKILL')
    expect(programs(word).length).toBeGreaterThanOrEqual(2)
    await withInstance(cliAdapter({}), async (instance) => {
      await instance.start?.(new AbortController().signal)
      await until(() => programs(word).length === 0)
    })
  })

  it('may die: the call says that nobody knows, the program is ended, and the next call works', async () => {
    const word = uniqueWord()
    await withInstance(cliAdapter({}), async (instance) => {
      const forever = tool({
        command: 'sh',
        argsTemplate: ['-c', 'while :; do sleep 0.1; done', word],
        inheritEnv: ['PATH'],
      })
      const running = call(instance, forever)
      await until(() => processesWith(word).length > 0)
      process.kill(runnersOf(process.pid)[0]!, 'SIGKILL')
      await expect(running).rejects.toMatchObject({
        code: 'outcome_unknown',
        rule: 'runner-lost',
        started: 'unknown',
      })
      await until(() => processesWith(word).length === 0)
      const output = await call(instance, tool({ command: 'echo', argsTemplate: ['again'] }))
      expect(output.data).toMatchObject({ stdout: 'again\n' })
    })
  })

  it('lives on when the working directory of a tool became a link in a circle', async () => {
    const workspace = await mkdtemp(join(tmpdir(), 'callgate-circle-'))
    await mkdir(join(workspace, 'part', 'deep'), { recursive: true })
    try {
      await withInstance(cliAdapter({ workspace }), async (instance) => {
        const deep = tool({ command: 'echo', workingDir: '{workspace}/part/deep' })
        const other = { ...tool({ command: 'cat', stdin: 'other' }), name: 'other' }
        await call(instance, deep)
        const runners = runnersOf(process.pid)
        await rm(join(workspace, 'part'), { recursive: true })
        await symlink('part', join(workspace, 'part'))
        const refused = { code: 'backend_unavailable', rule: 'working-dir', started: 'no' }
        await expect(call(instance, deep)).rejects.toMatchObject(refused)
        expect((await call(instance, other)).data).toMatchObject({ stdout: 'other' })
        expect(runnersOf(process.pid)).toEqual(runners)
      })
    } finally {
      await rm(workspace, { recursive: true })
    }
  })

  it(
    'lets a gateway that holds 1 GB start programs without standing still for 3 ms',
    { timeout: 60_000 },
    () => {
      const args = ['--conditions=@callgate/source', largeHostFile, '1024', '40']
      const printed = execFileSync(process.execPath, args, { encoding: 'utf8' })
      const { held, gaps } = JSON.parse(printed) as { held: number; gaps: readonly number[] }
      expect(held).toBe(1024)
      // Now and then the garbage collector comes in between.
      const median = gaps.toSorted((a, b) => a - b)[gaps.length / 2]
      console.log(`the longest turn of the event loop, median of ${gaps.length}: ${median} ms`)
      expect(median).toBeLessThan(3)
    },
  )

  it('does not keep a program alive that has nothing more to do', async () => {
    const host = startHost(uniqueWord(), '--idle')
    expect(await once(host, 'exit')).toEqual([0, null])
  })
})
