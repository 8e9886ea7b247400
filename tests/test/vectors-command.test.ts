import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

const main = new URL('../src/main.ts', import.meta.url).pathname

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function vectors(...args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--conditions=@callgate/source', main, ...args],
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
      },
    )
  })
}

describe('the command that runs vectors', () => {
  it('has a help', async () => {
    const { code, stdout } = await vectors('--help')
    expect(stdout).toMatch(/^Usage: run vectors /)
    expect(code).toBe(0)
  })

  it.each([
    ['an option that nobody knows', ['--what'], /--what/],
    ['an option without its value', ['--only'], /--only/],
    ['a folder that is not there', ['/no/such/folder'], /there is no folder \/no\/such\/folder/],
    [
      'a file that is not there',
      ['--only', 'nothing'],
      /there is no vector file nothing\.json in /,
    ],
  ])('%s gives one line and exit code 2', async (_, args, line) => {
    const { code, stdout, stderr } = await vectors(...args)
    expect(stdout).toBe('')
    expect(stderr).toMatch(line)
    expect(stderr).toMatch(/^vectors: .*\n$/)
    expect(code).toBe(2)
  })

  it('says once at the end what waiting means', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'callgate-vectors-'))
    try {
      for (const name of ['a', 'b']) await writeFile(join(folder, `${name}.json`), '[{"id":"x"}]')
      const { code, stdout } = await vectors(folder)
      expect(stdout.trimEnd().split('\n').slice(-2)).toEqual([
        expect.stringMatching(/^waiting: .*prose that named tests cover/),
        '0 passed, 0 failed',
      ])
      expect(stdout.match(/^waiting: /gm)).toHaveLength(1)
      expect(code).toBe(0)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
