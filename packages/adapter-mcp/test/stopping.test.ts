import { spawn } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { describe, expect, it, onTestFinished } from 'vitest'

import type { StdioServer } from '../src/index.ts'
import { fake, script, scratchFile, withFake } from './fake.ts'
import { create, start, until } from './host.ts'
import { alive, pidsIn } from './processes.ts'

describe('stop', () => {
  it('lets a server end by itself when its input ends', async () => {
    const running = await start({ servers: { s: fake('plain', { graceMs: 20_000 }) } })
    const before = performance.now()
    await running.adapter.stop?.({ graceMs: 60_000 })
    expect(performance.now() - before).toBeLessThan(15_000)
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
    expect(performance.now() - before).toBeLessThan(1400)
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

describe('a server with a long grace of its own', () => {
  const graceMs = 8000
  /** Does not end with its input. */
  const stubborn = (code: string): StdioServer => ({
    command: process.execPath,
    args: ['-e', `${code}; setInterval(() => undefined, 1000)`],
    graceMs,
  })

  it('is ended in that of the adapter while it is still being started', async () => {
    const { adapter } = create({ servers: { s: stubborn('') }, startWaitMs: 100 })
    await adapter.start?.(new AbortController().signal)
    const before = performance.now()
    await adapter.stop?.({ graceMs: 300 })
    expect(performance.now() - before).toBeLessThan(3000)
  })

  it('is ended in that of the adapter while it is being left', async () => {
    const closing = `
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method, params } = JSON.parse(line)
        const { protocolVersion } = params ?? {}
        const serverInfo = { name: 's', version: '1' }
        const result =
          method === 'initialize' ? { protocolVersion, capabilities: { tools: {} }, serverInfo } : { tools: [] }
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
        if (method === 'tools/list') setTimeout(() => require('node:fs').closeSync(1), 50)
      })`
    const running = await start({ servers: { s: stubborn(closing) } })
    await until(() => running.access.servers()[0]?.state === 'cooling')
    const before = performance.now()
    await running.adapter.stop?.({ graceMs: 300 })
    expect(performance.now() - before).toBeLessThan(3000)
  })
})
