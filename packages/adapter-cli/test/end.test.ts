import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { AdapterInstance, AdapterOutput } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { cliAdapter, type CliResult } from '../src/index.ts'
import { call, testHost, tool, withInstance, type CallOptions } from './host.ts'
import { childrenOf, processesWith, uniqueWord, until } from './processes.ts'

const stubbornTree = fileURLToPath(new URL('fixtures/stubborn-tree.sh', import.meta.url))
const isLinux = process.platform === 'linux'
const spawns = process.env['CI'] ? 1000 : 100

/** Runs a shell script of the test, with its first argument. */
function shell(
  instance: AdapterInstance,
  script: string,
  word: string,
  options: CallOptions = {},
): Promise<AdapterOutput> {
  const definition = tool({
    command: 'sh',
    argsTemplate: ['-c', script, word],
    inheritEnv: ['PATH'],
  })
  return call(instance, definition, {}, options)
}

describe.runIf(isLinux).each([{ runner: false }, { runner: true }])(
  'the end of a program, %o',
  ({ runner }) => {
    it('leaves nothing of a tree that ignores SIGTERM within two seconds of an abort', async () => {
      const word = uniqueWord()
      await withInstance(cliAdapter({ runner, graceMs: 300 }), async (instance) => {
        const stop = new AbortController()
        const definition = tool({
          command: 'sh',
          argsTemplate: [stubbornTree, word],
          inheritEnv: ['PATH'],
        })
        const running = call(instance, definition, {}, { signal: stop.signal })
        await until(() => processesWith(word).length >= 5)
        const abortedAt = performance.now()
        stop.abort(new DOMException('Too long.', 'TimeoutError'))
        await expect(running).rejects.toMatchObject({
          code: 'timeout',
          started: 'unknown',
          backend: { data: { stdout: 'ready\n' } },
        })
        expect(performance.now() - abortedAt).toBeLessThan(2000)
        expect(processesWith(word)).toEqual([])
      })
    })

    it('gives a program the time to clean up after SIGTERM', async () => {
      const word = uniqueWord()
      await withInstance(cliAdapter({ runner, graceMs: 5000 }), async (instance) => {
        const stop = new AbortController()
        const script = 'trap "echo cleaned; exit 0" TERM; echo ready; while :; do sleep 0.05; done'
        let shown = ''
        const running = shell(instance, script, word, {
          signal: stop.signal,
          onProgress: ({ partial }) => {
            shown += partial?.type === 'text' ? partial.text : ''
          },
        })
        await until(() => shown === 'ready\n')
        stop.abort()
        await expect(running).rejects.toMatchObject({
          code: 'cancelled',
          backend: { data: { stdout: 'ready\ncleaned\n' } },
        })
      })
    })

    it('returns soon after the program itself has ended, and ends what it left behind', async () => {
      const word = uniqueWord()
      await withInstance(cliAdapter({ runner }), async (instance) => {
        const script = 'sh -c "while :; do sleep 0.1; done" "$0" & echo started'
        const { data } = await shell(instance, script, word)
        const { stdout, durationMs, leftovers } = data as CliResult
        expect(stdout).toBe('started\n')
        expect(durationMs).toBeLessThan(2000)
        expect(leftovers).toBeGreaterThan(0)
        await until(() => processesWith(word).length === 0)
      })
    })

    it('ends a daemon that closed its outputs and left its session', async () => {
      const word = uniqueWord()
      await withInstance(cliAdapter({ runner }), async (instance) => {
        const script =
          'setsid sh -c "while :; do sleep 0.1; done" "$0" >/dev/null 2>&1 </dev/null & echo started'
        const { data } = await shell(instance, script, word)
        expect(data).toMatchObject({ stdout: 'started\n' })
        await until(() => processesWith(word).length === 0)
      })
    })

    it('of another adapter in the same process is left alone', async () => {
      const word = uniqueWord()
      await withInstance(cliAdapter({ runner }), async (one) => {
        await withInstance(cliAdapter({ runner }), async (other) => {
          const long = shell(one, 'sleep 2; echo done', word)
          await until(() => processesWith(word).length > 0)
          // After a run an adapter looks for what was left behind.
          await shell(other, 'true', uniqueWord())
          expect((await long).data).toMatchObject({ exitCode: 0, stdout: 'done\n' })
        })
      })
    })

    it('runs nothing when the call was already stopped', async () => {
      await withInstance(cliAdapter({ runner }), async (instance) => {
        const signal = AbortSignal.abort()
        await expect(shell(instance, 'echo', 'word', { signal })).rejects.toMatchObject({
          code: 'cancelled',
          started: 'no',
        })
      })
    })

    it(
      `leaves no process, descriptor or temporary file after ${spawns} calls`,
      { timeout: 300_000 },
      async () => {
        const word = uniqueWord()
        const folder = mkdtempSync(join(tmpdir(), 'callgate-end-'))
        const { TMPDIR } = process.env
        process.env['TMPDIR'] = folder
        try {
          await withInstance(cliAdapter({ runner, workspace: folder }), async (instance) => {
            await shell(instance, 'true', word)
            const before = openDescriptors()
            await inLanes(spawns, 25, async (index) => {
              // Some leave a descendant behind.
              const leave = index % 10 === 0 ? 'sleep 0.1 & ' : ''
              const { data } = await shell(instance, `${leave}echo ${index}`, word)
              expect((data as CliResult).stdout).toBe(`${index}\n`)
            })
            await until(() => processesWith(word).length === 0)
            await until(() => openDescriptors() <= before)
            expect(readdirSync(folder)).toEqual([])
          })
          await until(() => childrenOf(process.pid).length === 0)
        } finally {
          if (TMPDIR === undefined) delete process.env['TMPDIR']
          else process.env['TMPDIR'] = TMPDIR
          rmSync(folder, { recursive: true })
        }
      },
    )

    it('holds no more memory for an endless output than for a short one', async () => {
      await withInstance(cliAdapter({ runner }), async (instance) => {
        let taken = 0
        const before = process.memoryUsage().rss
        const { data } = await call(
          instance,
          tool({ command: 'head', argsTemplate: ['-c', '200000000', '/dev/zero'] }),
          {},
          {
            onBlobWrite: async (chunk) => {
              taken += chunk.length
            },
          },
        )
        expect((data as CliResult).stdout.length).toBeLessThan(600_000)
        expect(taken).toBe(200_000_000)
        expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024)
      })
    })

    it('ends what runs when the adapter is stopped', async () => {
      const word = uniqueWord()
      const instance = cliAdapter({ runner, graceMs: 200 }).create(testHost())
      const running = shell(instance, 'while :; do sleep 0.1; done', word)
      await until(() => processesWith(word).length > 0)
      await Promise.all([
        expect(running).rejects.toMatchObject({ code: 'cancelled', started: 'unknown' }),
        instance.stop?.({ graceMs: 2000 }),
      ])
      expect(processesWith(word)).toEqual([])
    })

    it('ends a program that writes more than its tool allows', async () => {
      await withInstance(cliAdapter({ runner }), async (instance) => {
        const definition = tool({ command: 'yes', maxOutputBytes: 3_000_000 })
        await expect(call(instance, definition)).rejects.toMatchObject({
          code: 'tool_failed',
          rule: 'limit-output',
        })
      })
    })

    it('shows what such a program wrote up to the limit', async () => {
      await withInstance(cliAdapter({ runner }), async (instance) => {
        const write = (maxOutputBytes: number) =>
          tool({ command: 'printf', argsTemplate: ['12345'], maxOutputBytes })
        expect((await call(instance, write(5))).data).toMatchObject({ stdout: '12345' })
        await expect(call(instance, write(4))).rejects.toMatchObject({
          rule: 'limit-output',
          backend: { data: { stdout: '1234' } },
        })
      })
    })

    it.each([
      ['floods', ['yes']],
      ['ends before', ['head', '-c', '1200000', '/dev/zero']],
    ])('returns in time from a program that %s a blob that stands still', async (_what, line) => {
      const [command = '', ...argsTemplate] = line
      await withInstance(cliAdapter({ runner, graceMs: 200 }), async (instance) => {
        const stop = new AbortController()
        let writes = 0
        const running = call(
          instance,
          tool({ command, argsTemplate }),
          {},
          {
            signal: stop.signal,
            onBlobWrite: () => {
              writes++
              return new Promise(() => undefined)
            },
          },
        )
        await until(() => writes > 0)
        const abortedAt = performance.now()
        stop.abort()
        await Promise.allSettled([running])
        expect(performance.now() - abortedAt).toBeLessThan(2000)
      })
    })
  },
)

/** Descriptors of this process and of the one that starts programs for it. */
function openDescriptors(): number {
  const pids = [process.pid, ...childrenOf(process.pid)]
  return pids.reduce((sum, pid) => sum + readdirSync(`/proc/${pid}/fd`).length, 0)
}

/** Does something so many times, at most so many at once. */
async function inLanes(
  count: number,
  lanes: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
