import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { describe, expect, it, onTestFinished } from 'vitest'

import { filePinStore, fileTokenStore } from '../src/index.ts'
import { scratchFile } from './fake.ts'
import { until } from './host.ts'
import { isZombie } from './processes.ts'

describe('a file of pins that two share', () => {
  it('keeps what each of them writes', async () => {
    const file = scratchFile()
    const stores = [filePinStore(file), filePinStore(file)]
    const names = Array.from({ length: 12 }, (_, at) => `server-${String(at)}`)
    await Promise.all(
      names.map((name, at) => stores[at % 2]!.write(name, { echo: { name: 'echo' } })),
    )
    const read = await Promise.all(names.map((name) => filePinStore(file).read(name)))
    expect(read.filter((tools) => tools === undefined)).toEqual([])
    expect(readdirSync(path.dirname(file))).toEqual([path.basename(file)])
  })

  it.each([
    ['behind', -3600],
    ['ahead of', 3600],
  ])('is not held for ever by one that died, with a clock %s ours', async (_where, seconds) => {
    const file = scratchFile()
    const lock = `${file}.lock`
    writeFileSync(lock, 'another')
    const when = Date.now() / 1000 + seconds
    utimesSync(lock, when, when)
    await filePinStore(file).write('server', {})
    expect(await filePinStore(file).read('server')).toEqual({})
  })
})

describe('a file that is damaged', () => {
  it('is named, and nothing of what it holds', async () => {
    const folder = path.join(path.dirname(scratchFile()), 'tokens')
    const store = fileTokenStore(folder)
    await store.write('key', { tokens: { access_token: 'AAAA1111' } })
    const [name = ''] = readdirSync(folder)
    writeFileSync(path.join(folder, name), '{"tokens":AAAA1111}')
    await expect(store.read('key')).rejects.toThrow(`${name} is not JSON; correct it or remove it`)
  })
})

describe('the lock of a folder of tokens', () => {
  const holder = fileURLToPath(new URL('fixtures/holding-host.ts', import.meta.url))

  /** Starts a process that takes the key; gives its lock, and how to kill it. */
  async function heldElsewhere(folder: string) {
    const args = ['--conditions=@callgate/source', holder, folder]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    const [name = ''] = readdirSync(folder)
    const kill = async (): Promise<void> => {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    return { lock: path.join(folder, name), kill }
  }

  it('of a process that was killed holds nobody up', async () => {
    const folder = path.join(path.dirname(scratchFile()), 'tokens')
    const { kill } = await heldElsewhere(folder)
    const taken = fileTokenStore(folder).exclusive('key', () => Promise.resolve(performance.now()))
    const killed = performance.now()
    await kill()
    expect((await taken) - killed).toBeGreaterThan(0)
    expect(readdirSync(folder).filter((name) => name.includes('.lock'))).toEqual([])
  })

  it.runIf(process.platform === 'linux')(
    'of a process that was killed, and that its parent never asked after, holds nobody up',
    async () => {
      const folder = path.join(path.dirname(scratchFile()), 'tokens')
      const args = ['--conditions=@callgate/source', holder, folder]
      // A program that takes the place of the shell does not know of the shell's child.
      const script = '"$0" "$@" & exec sleep 600'
      const parent = spawn('sh', ['-c', script, process.execPath, ...args], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      onTestFinished(() => void parent.kill('SIGKILL'))
      await once(parent.stdout, 'data')
      const [name = ''] = readdirSync(folder)
      const pid = Number(readFileSync(path.join(folder, name), 'utf8').split(' ').at(-2))
      process.kill(pid, 'SIGKILL')
      await until(() => isZombie(pid))
      const run = (): Promise<boolean> => Promise.resolve(isZombie(pid))
      expect(await fileTokenStore(folder).exclusive('key', run)).toBe(true)
    },
  )

  it('of a process that was killed goes to one alone, however many want it at once', async () => {
    const folder = path.join(path.dirname(scratchFile()), 'tokens')
    const { lock, kill } = await heldElsewhere(folder)
    const left = readFileSync(lock, 'utf8')
    await kill()
    const rounds = process.env['CI'] === undefined ? 2 : 10
    let inside = 0
    let most = 0
    for (let round = 0; round < rounds; round += 1) {
      writeFileSync(lock, left)
      const run = async (): Promise<void> => {
        inside += 1
        most = Math.max(most, inside)
        for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
        inside -= 1
      }
      const takers: Promise<void>[] = []
      // They come one after the other, so that one looks at the lock while another takes it.
      for (let taker = 0; taker < 25; taker += 1) {
        takers.push(fileTokenStore(folder).exclusive('key', run))
        await new Promise(setImmediate)
      }
      await Promise.all(takers)
    }
    expect(most).toBe(1)
  })

  it('that another has taken over meanwhile is left to it', async () => {
    const folder = path.join(path.dirname(scratchFile()), 'tokens')
    mkdirSync(folder)
    const lockOf = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.lock'))
    await fileTokenStore(folder).exclusive('key', () => {
      const [lock = ''] = lockOf()
      writeFileSync(path.join(folder, lock), 'another')
      return Promise.resolve()
    })
    expect(lockOf()).toHaveLength(1)
  })
})
