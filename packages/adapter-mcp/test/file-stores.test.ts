import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, it } from 'vitest'

import { filePinStore, fileTokenStore } from '../src/index.ts'
import { scratchFile } from './fake.ts'

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
