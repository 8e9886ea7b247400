import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { AdapterInstance, AdapterOutput } from '@callgate/spec'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { cliAdapter, type CliOptions, type CliResult } from '../src/index.ts'
import { call, testHost, tool, withInstance } from './host.ts'
import { processesWith, uniqueWord, until } from './processes.ts'

const isLinux = process.platform === 'linux'
let workspace: string
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'callgate-bugs-'))
})
afterEach(() => rmSync(workspace, { recursive: true }))

const text = { type: 'string' }
const environment = { inheritEnv: ['PATH'] }

/** Calls `exec_command` of an adapter with these programs. */
function exec(
  programs: NonNullable<CliOptions['exec']>['programs'],
  values: { readonly [name: string]: unknown },
): Promise<AdapterOutput> {
  return withInstance(cliAdapter({ workspace, exec: { programs } }), async (instance) => {
    const [discovered] = (await instance.discover?.(new AbortController().signal)) ?? []
    return call(instance, { ...discovered!, namespace: 'cli' }, values)
  })
}

/** Runs a shell script of the test and tells how long it took, in milliseconds. */
async function timed(
  instance: AdapterInstance,
  script: string,
  word: string,
): Promise<{ readonly ms: number; readonly result: CliResult }> {
  const definition = tool({ command: 'sh', argsTemplate: ['-c', script, word], ...environment })
  const startedAt = performance.now()
  const { data } = await call(instance, definition)
  return { ms: performance.now() - startedAt, result: data as CliResult }
}

describe('faults of other tools that must not return', () => {
  it.runIf(isLinux)('bug-001: a background child does not keep the call waiting', async () => {
    const word = uniqueWord()
    await withInstance(cliAdapter({ workspace }), async (instance) => {
      const { ms, result } = await timed(instance, 'sh -c "sleep 10; :" "$0" &', word)
      expect(ms).toBeLessThan(2000)
      expect(result.leftovers).toBeGreaterThan(0)
      await until(() => processesWith(word).length === 0)
    })
  })

  it.runIf(isLinux)('bug-003: a command that ended is not held by its helpers', async () => {
    const word = uniqueWord()
    await withInstance(cliAdapter({ workspace }), async (instance) => {
      const script = 'setsid sh -c "sleep 30; :" "$0" & exit 124'
      const { ms, result } = await timed(instance, script, word)
      expect(ms).toBeLessThan(2000)
      expect(result.exitCode).toBe(124)
      await until(() => processesWith(word).length === 0)
    })
  })

  it.runIf(isLinux)(
    'bug-004: a daemon that ignores SIGTERM does not wedge the session',
    async () => {
      const word = uniqueWord()
      await withInstance(cliAdapter({ workspace, graceMs: 200 }), async (instance) => {
        const daemon = 'trap \\"\\" TERM; while :; do sleep 0.1; done'
        const script = `setsid sh -c "${daemon}" "$0" & trap "" TERM; while :; do sleep 0.1; done`
        const stop = new AbortController()
        const running = call(
          instance,
          tool({ command: 'sh', argsTemplate: ['-c', script, word], ...environment }),
          {},
          { signal: stop.signal },
        )
        await until(() => processesWith(word).length >= 2)
        const stoppedAt = performance.now()
        stop.abort(new DOMException('Too long.', 'TimeoutError'))
        await expect(running).rejects.toMatchObject({ code: 'timeout' })
        expect(performance.now() - stoppedAt).toBeLessThan(2000)
        expect(processesWith(word)).toEqual([])
      })
    },
  )

  // The same as bug-001 without a shell, so that it means the same on Windows.
  it('bug-005: a server that the command started does not keep the pipe', async () => {
    const server = 'setTimeout(() => {}, 20_000)'
    const command = `require('node:child_process').spawn(process.execPath, ['-e', '${server}'], { stdio: 'inherit' }).unref()`
    await withInstance(cliAdapter({ workspace }), async (instance) => {
      const startedAt = performance.now()
      const definition = tool({ command: process.execPath, argsTemplate: ['-e', command] })
      const { data } = await call(instance, definition)
      expect(data).toMatchObject({ exitCode: 0 })
      expect(performance.now() - startedAt).toBeLessThan(5000)
    })
  })

  it('bug-009: a revision that begins with a dash writes no file', async () => {
    const output = join(workspace, 'x')
    await withInstance(cliAdapter({ workspace }), async (instance) => {
      const log = tool({ command: 'git', argsTemplate: ['log', '{branch}'] }, { branch: text })
      await expect(call(instance, log, { branch: `--output=${output}` })).rejects.toMatchObject({
        code: 'guard_refused',
        rule: 'leading-dash',
        parameter: 'branch',
        started: 'no',
      })
      expect(existsSync(output)).toBe(false)
    })
  })

  it('bug-013: a list of what is allowed decides about all arguments', async () => {
    const output = join(workspace, 'x')
    const programs = [{ program: 'git', subcommands: ['diff'], options: ['--stat'] }]
    for (const args of [
      ['diff', `--output=${output}`],
      ['diff', '--stat', '--output', output],
    ]) {
      await expect(exec(programs, { command: 'git', args })).rejects.toMatchObject({
        rule: 'leading-dash',
      })
    }
    expect(existsSync(output)).toBe(false)
  })

  it('bug-014: && is one literal argument, and no second command', async () => {
    writeFileSync(join(workspace, 'f'), '')
    const values = { command: 'echo', args: ['&&', 'rm', 'f'] }
    expect((await exec(['echo'], values)).data).toMatchObject({ stdout: '&& rm f\n' })
    await expect(exec(['echo'], { command: 'echo && rm f' })).rejects.toMatchObject({
      rule: 'allow-list',
    })
    expect(existsSync(join(workspace, 'f'))).toBe(true)
  })

  it('bug-015: backticks in a message are not run', async () => {
    await withInstance(cliAdapter({ workspace }), async (instance) => {
      const commit = tool({ command: 'echo', argsTemplate: ['-m', '{message}'] }, { message: text })
      const { data } = await call(instance, commit, { message: 'Fix `id` and $(id)' })
      expect(data).toMatchObject({ stdout: '-m Fix `id` and $(id)\n' })
    })
  })

  it('bug-018: a batch file is refused at load, with what to name instead', () => {
    const instance = cliAdapter({ workspace }).create(testHost())
    const npm = tool({ command: 'npm.cmd', argsTemplate: ['--version'] })
    expect(() => instance.accept?.(npm)).toThrow(
      expect.objectContaining({
        rule: 'windows-batch',
        where: 'local::probe',
        hint: 'Name the program that the batch file starts.',
      }),
    )
  })
})
