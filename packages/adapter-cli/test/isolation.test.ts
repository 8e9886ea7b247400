import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { cliAdapter, type CliOptions, type IsolatedProgram } from '../src/index.ts'
import { call, testHost, tool, withInstance } from './host.ts'
import { processesWith, uniqueWord, until } from './processes.ts'

const isLinux = process.platform === 'linux'
/** A laptop may be without bubblewrap; CI fails without it. */
const triesBubblewrap = isLinux && (process.env['CI'] !== undefined || existsSync('/usr/bin/bwrap'))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'callgate-isolation-'))
  mkdirSync(join(folder, 'work'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const sh = (script: string, more: object = {}): Parameters<typeof tool>[0] => ({
  command: 'sh',
  argsTemplate: ['-c', script],
  inheritEnv: ['PATH'],
  ...more,
})

const sandboxed = (): CliOptions => ({
  workspace: join(folder, 'work'),
  isolation: 'bubblewrap',
  graceMs: 300,
})

/** Runs a script in bubblewrap. */
async function stdoutOf(script: string, more: object = {}): Promise<string> {
  return withInstance(cliAdapter(sandboxed()), async (instance) => {
    const { data } = await call(instance, tool(sh(script, more)))
    return (data as { stdout: string }).stdout
  })
}

describe.runIf(isLinux)('limits of a program', () => {
  it('are set for the program', async () => {
    await withInstance(cliAdapter({ limits: { openFiles: 64 } }), async (instance) => {
      const limits = { cpuSeconds: 5, memoryBytes: 1024 ** 3, fileBytes: 1024 ** 2, openFiles: 32 }
      const output = await call(
        instance,
        tool(sh('ulimit -t; ulimit -v; ulimit -f; ulimit -n', { limits })),
      )
      expect(output.data).toMatchObject({ stdout: '5\n1048576\n2048\n32\n' })
    })
  })

  it('have rules of their own when they end it', async () => {
    await withInstance(cliAdapter({ workspace: folder }), async (instance) => {
      const fileBytes = tool(
        sh('exec head -c 100000 /dev/zero > big', { limits: { fileBytes: 1000 } }),
      )
      await expect(call(instance, fileBytes)).rejects.toMatchObject({
        code: 'tool_failed',
        rule: 'limit-file-size',
      })
      const cpuSeconds = tool(sh('while :; do :; done', { limits: { cpuSeconds: 1 } }))
      await expect(call(instance, cpuSeconds)).rejects.toMatchObject({ rule: 'limit-cpu' })
    })
  })

  it('of processes are kept, or refused for root, whom nothing would hold to them', async () => {
    const script = 'for i in 1 2 3 4 5 6 7 8; do sleep 0.2 & done; wait; echo all'
    const limited = tool(sh(script, { limits: { processes: 1 } }))
    await withInstance(cliAdapter({}), async (instance) => {
      if (process.getuid?.() === 0) {
        expect(() => instance.accept?.(limited)).toThrow(
          expect.objectContaining({
            rule: 'limits-unavailable',
            message: expect.stringContaining('root'),
          }),
        )
      } else {
        const { data } = await call(instance, limited)
        expect(data).not.toMatchObject({ stdout: 'all\n', exitCode: 0 })
      }
    })
  })

  it('are refused where nothing can set them', () => {
    const instance = cliAdapter({ path: '/nowhere' }).create(testHost())
    const limited = tool({ command: '/bin/sh', limits: { openFiles: 8 } })
    expect(() => instance.accept?.(limited)).toThrow(
      expect.objectContaining({ rule: 'limits-unavailable' }),
    )
  })
})

describe('isolation', () => {
  it('is refused where bubblewrap is not there', () => {
    const instance = cliAdapter({ path: '/nowhere', isolation: 'bubblewrap' }).create(testHost())
    expect(() => instance.accept?.(tool({ command: process.execPath }))).toThrow(
      expect.objectContaining({ rule: 'sandbox-unavailable' }),
    )
  })

  it('cannot be switched off by a tool', () => {
    const instance = cliAdapter({ isolation: 'bubblewrap' }).create(testHost())
    const weaker = tool({ command: process.execPath, isolation: 'none' })
    expect(() => instance.accept?.(weaker)).toThrow(
      expect.objectContaining({ rule: 'isolation-weakened' }),
    )
  })

  it('can be another program than bubblewrap, which is told what it runs', async () => {
    const isolators = {
      box: {
        program: 'env',
        arguments: ({ workingDir, sandbox }: IsolatedProgram) => [
          `BOX=${workingDir} ${sandbox.network}`,
        ],
      },
    }
    const workspace = realpathSync(tmpdir())
    const options = { workspace, isolators, isolation: 'box' }
    expect(cliAdapter(options).definition.capabilities.isolation).toBe('sandbox')
    await withInstance(cliAdapter(options), async (instance) => {
      const printed = tool({ command: 'sh', argsTemplate: ['-c', 'echo "$BOX"'] })
      instance.accept?.(printed)
      const { data, metadata } = await call(instance, printed)
      expect(data).toMatchObject({ stdout: `${workspace} false\n` })
      expect(metadata).toMatchObject({ isolation: 'box' })
    })
  })

  it.each([
    ['isolation-unknown', {}],
    ['sandbox-unavailable', { box: { program: 'no-such-box', arguments: () => [] } }],
  ])('that is not there is refused: %s', (rule, isolators) => {
    const instance = cliAdapter({ isolators }).create(testHost())
    const boxed = tool({ command: process.execPath, isolation: 'box' })
    expect(() => instance.accept?.(boxed)).toThrow(expect.objectContaining({ rule }))
  })

  it('is told by the adapter', () => {
    expect(cliAdapter({}).definition.capabilities.isolation).toBe('process')
    expect(cliAdapter({ isolation: 'bubblewrap' }).definition.capabilities.isolation).toBe(
      'sandbox',
    )
  })
})

describe.runIf(triesBubblewrap)('a program in bubblewrap', () => {
  it('sees the workspace, and nothing beside it', async () => {
    writeFileSync(join(folder, 'work', 'in'), 'inside')
    writeFileSync(join(folder, 'secret'), 'outside')
    const script = `cat in; cat ${join(folder, 'secret')} 2>/dev/null || echo " hidden"`
    expect(await stdoutOf(script)).toBe('inside hidden\n')
  })

  it('writes only where it is declared', async () => {
    expect(await stdoutOf('touch file 2>/dev/null || echo refused')).toBe('refused\n')
    const sandbox = { writable: ['{workspace}'] }
    expect(await stdoutOf('echo text > file && cat file', { sandbox })).toBe('text\n')
    expect(readFileSync(join(folder, 'work', 'file'), 'utf8')).toBe('text\n')
  })

  it('has no network and does not see other processes', async () => {
    const script =
      'ls /sys/class/net 2>/dev/null; grep -c : /proc/net/dev; ls -d /proc/[0-9]* | wc -l'
    const [devices, processes] = (await stdoutOf(script)).trim().split('\n')
    expect(devices).toBe('1')
    expect(Number(processes)).toBeLessThan(6)
  })

  it('keeps its exit code and the limits in it', async () => {
    await withInstance(cliAdapter(sandboxed()), async (instance) => {
      const limited = sh('ulimit -n; exit 7', { limits: { openFiles: 48 } })
      const { data } = await call(instance, tool(limited))
      expect(data).toMatchObject({ stdout: '48\n', exitCode: 7 })
    })
  })

  it('is ended with all that it started, its own clean-up first', async () => {
    const word = uniqueWord()
    await withInstance(cliAdapter(sandboxed()), async (instance) => {
      const stop = new AbortController()
      const script =
        'trap "echo cleaned; exit" TERM; echo ready; (env -i setsid sh -c "while :; do sleep 0.1; done" "$0" &); while :; do sleep 0.05; done'
      const definition = tool({
        command: 'sh',
        argsTemplate: ['-c', script, word],
        inheritEnv: ['PATH'],
      })
      let shown = ''
      const running = call(
        instance,
        definition,
        {},
        {
          signal: stop.signal,
          onProgress: ({ partial }) => {
            shown += partial?.type === 'text' ? partial.text : ''
          },
        },
      )
      await until(() => shown === 'ready\n' && processesWith(word).length >= 3)
      stop.abort()
      await expect(running).rejects.toMatchObject({
        code: 'cancelled',
        backend: { data: { stdout: 'ready\ncleaned\n' } },
      })
      expect(processesWith(word)).toEqual([])
    })
  })

  it('does not run at all when the sandbox cannot be set up', async () => {
    await withInstance(cliAdapter(sandboxed()), async (instance) => {
      const sandbox = { readable: [join(folder, 'not-there')] }
      await expect(call(instance, tool(sh('echo ran', { sandbox })))).rejects.toMatchObject({
        code: 'backend_unavailable',
        rule: 'sandbox-unavailable',
        started: 'no',
      })
    })
  })
})
