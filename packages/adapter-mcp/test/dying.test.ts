import { readdirSync, readFileSync } from 'node:fs'
import process from 'node:process'

import { describe, expect, it } from 'vitest'

import { fake, scratchFile, withFake } from './fake.ts'
import { start, until } from './host.ts'
import { alive, isZombie, pidsIn } from './processes.ts'

describe('a server that dies', () => {
  it('leaves its call with an unknown outcome and the reason', async () => {
    const running = await withFake('plain')
    await expect(running.call('s.die')).rejects.toMatchObject({
      code: 'outcome_unknown',
      started: 'unknown',
      message: expect.stringContaining('exit code 9') as string,
    })
  })

  it('is what closing a pipe means, though the process lives on', async () => {
    const running = await withFake('broken-pipe')
    const pid = Number((await running.call('s.pid')).data)
    await expect(running.call('s.close-output')).rejects.toMatchObject({
      code: 'outcome_unknown',
      message: expect.stringContaining('the server closed its output') as string,
    })
    await until(() => !alive(pid))

    await running.call('s.close-input')
    await expect(running.call('s.echo')).rejects.toMatchObject({ code: 'outcome_unknown' })
    await until(async () => (await running.call('s.echo').catch(() => undefined)) !== undefined)
  })

  it('is started again by the next call, through the same tool (stale-client-after-reconnect)', async () => {
    const running = await withFake('plain', { restart: { initialMs: 10 } })
    await running.call('s.die').catch(() => undefined)
    const calls = await Promise.all([running.call('s.echo'), running.call('s.echo')])
    expect(calls.map(({ data }) => data)).toEqual(['echo', 'echo'])
  })

  it('comes back however often it dies, as long as it lives in between (backoff-counter)', async () => {
    const running = await withFake('plain', {
      restart: { initialMs: 200, maxMs: 200, stableMs: 1 },
    })
    for (let round = 0; round < 4; round += 1) {
      await running.call('s.die').catch(() => undefined)
      expect((await running.call('s.echo')).data).toBe('echo')
    }
  })

  it('at once after each start is left alone after ten starts, and the caller told for how long (backoff-counter)', async () => {
    const file = scratchFile()
    const running = await withFake('crash-loop', { restart: { initialMs: 1, maxMs: 5 } }, { file })
    const errors: { retryAfterMs?: number }[] = []
    await until(async () => {
      await running.call('s.hang').catch((error: unknown) => errors.push(error as object))
      return errors.some(({ retryAfterMs }) => retryAfterMs !== undefined)
    }, 15_000)
    expect(errors.at(-1)).toMatchObject({ code: 'backend_unavailable', started: 'no' })
    expect(errors.at(-1)?.retryAfterMs).toBeGreaterThan(5000)
    expect(readFileSync(file, 'utf8').length).toBeLessThanOrEqual(10)
  })

  it.runIf(process.platform === 'linux')('is reaped (zombie-unreaped)', async () => {
    const rounds = process.env['CI'] === undefined ? 5 : 50
    for (let round = 0; round < rounds; round += 1) {
      const running = await start({ servers: { s: fake('plain') } })
      await running.call('s.die').catch(() => undefined)
      await running.adapter.stop?.({ graceMs: 100 })
    }
    const zombies = readdirSync('/proc').filter((pid) => {
      if (!/^\d+$/.test(pid) || !isZombie(pid)) return false
      return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(`) Z ${String(process.pid)} `)
    })
    expect(zombies).toEqual([])
  })

  it('takes what it started with it', async () => {
    const file = scratchFile()
    const running = await withFake('grandchild', {}, { file })
    const pids = pidsIn(file)
    expect(pids.map(alive)).toEqual([true, true])
    await running.call('s.die').catch(() => undefined)
    await until(() => !pids.some(alive))
  })
})

describe('a server that hangs', () => {
  it(
    'is given up after a call without an answer, and started again (restart-hang-not-dead)',
    { timeout: 20_000 },
    async () => {
      const running = await withFake('freeze', {
        timeoutMs: 200,
        graceMs: 50,
        restart: { initialMs: 1 },
      })
      const first = (await running.call('s.pid')).data
      await expect(running.call('s.freeze')).rejects.toMatchObject({ rule: 'idle-timeout' })
      await until(async () => {
        const { data } = await running.call('s.pid').catch(() => ({ data: first }))
        return data !== first
      }, 12_000)
    },
  )
})

describe('a server that is busy', () => {
  it(
    'with one call and answers nothing else is not given up while it says how far it is (restart-hang-not-dead)',
    { timeout: 20_000 },
    async () => {
      const running = await withFake('busy', { tools: { hang: { timeoutMs: 100 } } })
      const long = running.call('s.long')
      await expect(running.call('s.hang')).rejects.toMatchObject({ rule: 'idle-timeout' })
      // It takes longer than a server has to say that it is alive.
      expect((await long).data).toBe('done')
      expect(running.access.servers()[0]).toMatchObject({ state: 'ready', restarts: 0 })
    },
  )
})
