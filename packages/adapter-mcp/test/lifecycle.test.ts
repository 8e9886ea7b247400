import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { describe, expect, it, onTestFinished } from 'vitest'

import { fake, script, scratchFile, withFake } from './fake.ts'
import { start, stubHost, until } from './host.ts'

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A zombie whose parent is gone still answers; it holds nothing.
    return !existsSync(`/proc/${String(pid)}/stat`) || !isZombie(pid)
  } catch {
    return false
  }
}

function isZombie(pid: number | string): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** The process ids that a fixture wrote down. */
function pidsIn(file: string): number[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []
}

/** What a server sees as its environment. */
async function variables(more: object): Promise<Record<string, string>> {
  process.env['SECRET_X'] = 'hidden'
  process.env['HTTPS_PROXY'] = 'http://proxy.test:1'
  onTestFinished(() => {
    delete process.env['SECRET_X']
    delete process.env['HTTPS_PROXY']
  })
  const running = await withFake(
    'plain',
    { env: { A: '1', B: '{env:TOKEN}' }, ...more },
    {
      host: stubHost({ TOKEN: '{env:A}' }),
    },
  )
  return JSON.parse(String((await running.call('s.env')).data)) as Record<string, string>
}

describe('start', () => {
  it('brings up the good servers whatever the others do, in the time of the slowest', async () => {
    const host = stubHost()
    const before = performance.now()
    const running = await start(
      {
        servers: {
          good: fake('plain'),
          crashed: fake('crash-at-start'),
          silent: fake('silent', { connectTimeoutMs: 800 }),
          missing: { command: '/no/such/program' },
        },
      },
      host,
    )
    onTestFinished(() => running.adapter.stop?.({ graceMs: 100 }))
    expect(performance.now() - before).toBeLessThan(3000)
    expect((await running.tools()).every((tool) => tool.namespace === 'good')).toBe(true)
    const health = await running.adapter.health?.(new AbortController().signal)
    expect(health?.state).toBe('degraded')
    expect(health?.reason).toContain('silent: not ready within 800 ms')
    expect(health?.reason).toContain('missing: spawn /no/such/program ENOENT')
  })

  it('tells why a server died: exit code and the end of its stderr, cleaned and redacted (crash-reason-lost)', async () => {
    const running = await withFake(
      'crash-at-start',
      { env: { KEY: '{env:API_SECRET}' } },
      { host: stubHost({ API_SECRET: 's3cret-value' }) },
    )
    const health = await running.adapter.health?.(new AbortController().signal)
    expect(health).toMatchObject({ state: 'down' })
    expect(health?.reason).toContain('exit code 3')
    expect(health?.reason).toContain('stderr: FATAL: missing API_KEY ([redacted])')
  })

  it('names a folder that is missing, not the program', async () => {
    const running = await withFake('plain', { cwd: '/no/such/folder' })
    const health = await running.adapter.health?.(new AbortController().signal)
    expect(health?.reason).toContain('the folder /no/such/folder does not exist')
  })

  it('names a secret that is missing', async () => {
    const running = await withFake('plain', { env: { KEY: '{env:NOT_SET_ANYWHERE}' } })
    const health = await running.adapter.health?.(new AbortController().signal)
    expect(health?.reason).toContain('needs the secret NOT_SET_ANYWHERE, which is not set')
  })

  it('comes again by itself for a server that was not there, and tells the host', async () => {
    const host = stubHost()
    const running = await withFake('late-ready', {}, { host, file: scratchFile() })
    expect(await running.tools()).toEqual([])
    await until(() => host.changes === 1)
    expect((await running.tools()).length).toBeGreaterThan(0)
    expect(await running.adapter.health?.(new AbortController().signal)).toEqual({
      state: 'ok',
      servers: [{ name: 's', state: 'ready' }],
    })
  })
})

describe('a server that is up but cannot list its tools at first', () => {
  it('is asked again until it can', async () => {
    const host = stubHost()
    const running = await withFake('list-later', { timeoutMs: 200 }, { host })
    expect(running.access.servers()[0]?.tools).toEqual([])
    await until(() => host.changes > 0)
    expect((await running.tools()).length).toBeGreaterThan(0)
  })
})

describe('the environment of a server', () => {
  it('is an allow-list and what is configured (env-inheritance)', async () => {
    const env = await variables({})
    expect(env).toMatchObject({ A: '1', HTTPS_PROXY: 'http://proxy.test:1' })
    expect(env['PATH']).toBe(process.env['PATH'])
    expect(env['SECRET_X']).toBeUndefined()
  })

  it('is everything where that is asked for', async () => {
    expect(await variables({ inheritEnv: true })).toMatchObject({ SECRET_X: 'hidden', A: '1' })
  })

  it('holds a secret once put in, and does not read it again', async () => {
    expect((await variables({}))['B']).toBe('{env:A}')
  })
})

describe('a server that writes much to stderr', () => {
  it('is not blocked by it (stderr-backpressure)', async () => {
    const running = await withFake('stderr')
    expect((await running.call('s.loud')).data).toBe('still here')
  })
})

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

describe('servers that hang at their start', () => {
  it('hold up none of the others, however many they are (slow-server-blocks-all)', async () => {
    const silent = Object.fromEntries(
      Array.from({ length: 3 }, (_, index) => [`silent${String(index)}`, fake('silent')]),
    )
    const running = await start({
      servers: { ...silent, good: fake('plain') },
      startConcurrency: 2,
      startWaitMs: 4000,
    })
    onTestFinished(() => running.adapter.stop?.({ graceMs: 100 }))
    expect((await running.tools()).length).toBeGreaterThan(0)
  })

  it('are not told to cancel the handshake, which no server may be', async () => {
    const file = scratchFile()
    const line = `tee "${file}" > /dev/null`
    const running = await start({
      servers: { s: { command: 'sh', args: ['-c', line], connectTimeoutMs: 300 } },
    })
    await running.adapter.stop?.({ graceMs: 100 })
    const sent = readFileSync(file, 'utf8')
    expect(sent).toContain('"initialize"')
    expect(sent).not.toContain('cancelled')
  })
})

describe('stop', () => {
  it('lets a server end by itself when its input ends', async () => {
    const running = await start({ servers: { s: fake('plain') } })
    const before = performance.now()
    await running.adapter.stop?.({ graceMs: 100 })
    expect(performance.now() - before).toBeLessThan(500)
    await expect(running.call('s.echo')).rejects.toMatchObject({
      code: 'backend_unavailable',
      started: 'no',
    })
  })

  it('ends a server that ignores it, behind a shell, in 2.5 seconds (launcher-wrapper-orphan)', async () => {
    const file = scratchFile()
    const line = `"${process.execPath}" "${script}" stubborn "${file}"; true`
    const running = await start({ servers: { s: { command: 'sh', args: ['-c', line] } } })
    const pids = pidsIn(file)
    expect(pids.map(alive)).toEqual([true])
    const before = performance.now()
    await running.adapter.stop?.({ graceMs: 100 })
    expect(performance.now() - before).toBeLessThan(2500)
    expect(pids.map(alive)).toEqual([false])
  })

  it('ends what the server started (tree-not-killed)', async () => {
    const file = scratchFile()
    const running = await start({ servers: { s: fake('grandchild', { graceMs: 100 }, file) } })
    const pids = pidsIn(file)
    await running.adapter.stop?.({ graceMs: 100 })
    expect(pids.map(alive)).toEqual([false, false])
  })

  it('keeps to the grace that it is given', async () => {
    const running = await start({ servers: { s: fake('stubborn', {}, scratchFile()) } })
    const before = performance.now()
    await running.adapter.stop?.({ graceMs: 300 })
    expect(performance.now() - before).toBeLessThan(800)
  })

  it('may be said twice', async () => {
    const running = await start({ servers: { s: fake('plain') } })
    const again = running.adapter.stop?.({ graceMs: 100 })
    await running.adapter.stop?.({ graceMs: 100 })
    await expect(again).resolves.toBeUndefined()
  })
})

describe('a host that goes away', () => {
  const host = fileURLToPath(new URL('fixtures/exiting-host.ts', import.meta.url))

  it.each(['exit', 'throw', 'SIGTERM', 'SIGINT', 'SIGHUP'])(
    'by %s leaves nothing behind (exit-leaves-orphans)',
    async (how) => {
      const file = scratchFile()
      const child = spawn(
        process.execPath,
        ['--conditions=@callgate/source', host, how, script, file],
        { stdio: ['ignore', 'pipe', 'ignore'] },
      )
      onTestFinished(() => void child.kill('SIGKILL'))
      const ended = new Promise<string>((resolve) => {
        child.once('exit', (code, signal) => resolve(signal ?? String(code)))
      })
      let output = ''
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
      await until(() => output.includes('ready'), 20_000)
      const pids = pidsIn(file)
      if (how.startsWith('SIG')) child.kill(how as NodeJS.Signals)
      expect(await ended).toBe(how.startsWith('SIG') ? how : '1')
      await until(() => !pids.some(alive))
    },
  )
})

describe('a host with a handler of its own for a signal', () => {
  it('keeps its servers while it lives', async () => {
    const running = await withFake('plain')
    const seen: string[] = []
    const handler = (signal: string): void => void seen.push(signal)
    process.on('SIGHUP', handler)
    onTestFinished(() => void process.off('SIGHUP', handler))
    process.emit('SIGHUP', 'SIGHUP')
    expect(seen).toEqual(['SIGHUP'])
    expect((await running.call('s.echo')).data).toBe('echo')
  })
})

describe('the log of a server', () => {
  it.each([
    ['error', 'warn'],
    ['info', 'debug'],
  ])('goes on with %s as %s, cleaned', async (level, as) => {
    const host = stubHost()
    const running = await withFake('logs', {}, { host })
    await running.call('s.log', { level })
    const [line] = host.lines.filter(({ message }) => message === 'mcp: the server logs')
    expect(line).toEqual({
      level: as,
      message: 'mcp: the server logs',
      fields: { server: 's', line: 'disk full' },
    })
  })
})

describe('a log with debug', () => {
  it('holds every message, secrets left out', async () => {
    const host = stubHost({ TOKEN: 'an-open-"secret"' })
    const env = { TOKEN: '{env:TOKEN}' }
    const running = await withFake('plain', { debug: true, env }, { host })
    const { data } = await running.call('s.env')
    expect(String(data)).toContain('an-open-')
    const frames = host.lines.filter(({ message }) => /^mcp: (?:sent|received)$/.test(message))
    expect(frames.length).toBeGreaterThan(3)
    expect(JSON.stringify(frames)).not.toContain('an-open-')
    expect(JSON.stringify(frames)).toContain('[redacted]')
  })

  it('holds every line of the output that is no message', async () => {
    const host = stubHost()
    const running = await withFake('glued-noise', { debug: true }, { host })
    await running.call('s.noise')
    await running.call('s.noise')
    expect(host.lines.filter(({ message }) => message === 'mcp: stdout')).toHaveLength(8)
  })

  it('holds lines of stderr, so many a second, and how many are left out (stderr-backpressure)', async () => {
    const host = stubHost()
    const running = await withFake('chatty', { debug: true }, { host })
    const chat = async (): Promise<void> => void (await running.call('s.chat'))
    const lines = () => host.lines.filter(({ message }) => message === 'mcp: stderr')
    await chat()
    expect(lines()).toHaveLength(100)
    const leftOut = () => host.lines.find(({ message }) => message.includes('were left out'))
    await until(async () => {
      await chat()
      return leftOut() !== undefined
    })
    expect(leftOut()?.fields['lines']).toBeGreaterThan(400)
  })
})
