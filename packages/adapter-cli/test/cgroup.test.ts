import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { cliAdapter, securityCheck, type CliOptions, type CliResult } from '../src/index.ts'
import { call, testHost, tool, withInstance } from './host.ts'
import { childrenOf, processesWith, uniqueWord, until } from './processes.ts'

const hostFile = fileURLToPath(new URL('fixtures/host.ts', import.meta.url))

function startHost(...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, ['--conditions=@callgate/source', hostFile, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** A folder in which groups count processes; undefined where this user may make none. */
const cgroup = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup']
  .map((base) => `${base}/callgate-test-${process.pid}`)
  .find((folder) => {
    try {
      mkdirSync(folder)
      const counts = existsSync(`${folder}/pids.max`)
      rmdirSync(folder)
      return counts
    } catch {
      return false
    }
  })

const sh = (script: string, more: object = {}, ...args: readonly string[]) =>
  tool({ command: 'sh', argsTemplate: ['-c', script, ...args], inheritEnv: ['PATH'], ...more })

describe.runIf(cgroup)('a program in a control group of its own', () => {
  const options = (more: CliOptions = {}): CliOptions => ({
    cgroup: cgroup!,
    graceMs: 200,
    ...more,
  })
  beforeAll(() => mkdirSync(cgroup!))
  afterAll(() => rmdirSync(cgroup!))

  /** The groups of runs that are there. */
  const groups = (): readonly string[] =>
    readdirSync(cgroup!).filter((name) => name.startsWith('callgate-'))

  it.each([true, false])('gives what it gives without one, runner: %s', async (runner) => {
    await withInstance(cliAdapter(options({ runner })), async (instance) => {
      const { data } = await call(instance, sh('echo "$0 $1" >&2; exit 3', {}, 'a b', '$(c)'))
      expect(data).toMatchObject({ exitCode: 3, stdout: '', stderr: 'a b $(c)\n' })
      const killed = await call(instance, sh('kill -KILL $$'))
      expect(killed.data).toMatchObject({ signal: 'SIGKILL' })
      await until(() => groups().length === 0)
    })
  })

  it('is ended with a descendant that hides in every other way', async () => {
    const word = uniqueWord()
    await withInstance(cliAdapter(options()), async (instance) => {
      const hidden =
        '(env -i setsid sh -c "while :; do sleep 0.1; done" "$0" </dev/null >/dev/null 2>&1 &) ; sleep 0.3; echo started'
      const { data } = await call(instance, sh(hidden, {}, word))
      expect(data).toMatchObject({ stdout: 'started\n' })
      expect((data as CliResult).leftovers).toBeGreaterThan(0)
      await until(() => processesWith(word).length === 0 && groups().length === 0)
    })
  })

  it('is held to its number of processes, also as root', async () => {
    await withInstance(cliAdapter(options()), async (instance) => {
      const script = 'for i in 1 2 3 4 5 6; do sleep 0.2 & done; wait; echo all'
      const limited = sh(script, { limits: { processes: 3 } })
      instance.accept?.(limited)
      await expect(call(instance, limited)).rejects.toMatchObject({
        code: 'tool_failed',
        rule: 'limit-processes',
      })
      const enough = sh(script, { limits: { processes: 20 } })
      expect((await call(instance, enough)).data).toMatchObject({ stdout: 'all\n', exitCode: 0 })
      await until(() => groups().length === 0)
    })
  })

  it('leaves no group when it is stopped, or cannot be started', async () => {
    await withInstance(cliAdapter(options()), async (instance) => {
      const stop = new AbortController()
      const running = call(instance, sh('sleep 30'), {}, { signal: stop.signal })
      await until(() => groups().length === 1)
      stop.abort()
      await expect(running).rejects.toMatchObject({ code: 'cancelled' })
      await until(() => groups().length === 0)
    })
  })

  it('is ended at the next start, with what hides, when gateway and runner were killed', async () => {
    const word = uniqueWord()
    const host = startHost(word, '--hidden', cgroup!)
    await until(() => processesWith(word, hostFile).length >= 2)
    const [runner] = childrenOf(host.pid!)
    process.kill(runner!, 'SIGSTOP')
    host.kill('SIGKILL')
    await once(host, 'exit')
    process.kill(runner!, 'SIGKILL')
    expect(processesWith(word, hostFile).length).toBeGreaterThanOrEqual(2)
    await withInstance(cliAdapter(options()), async (instance) => {
      await call(instance, sh('true'))
      await until(() => processesWith(word, hostFile).length === 0 && groups().length === 0)
    })
  })

  it('is told by the security check', () => {
    const { tools } = securityCheck(options(), [tool({ command: 'true' })], testHost())
    expect(tools[0]?.facts?.treeEnd).toBe('cgroup')
  })
})

describe('a control group', () => {
  it.each([
    ['/nowhere/at/all', {}, 'cgroup-unavailable'],
    [tmpdir(), {}, 'cgroup-unavailable'],
  ])('that cannot be made is refused: %s', (folder, limits, rule) => {
    const instance = cliAdapter({ cgroup: folder }).create(testHost())
    expect(() => instance.accept?.(tool({ command: 'true', limits }))).toThrow(
      expect.objectContaining({ rule }),
    )
  })
})
