import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { describe, expect, it } from 'vitest'

const main = new URL('../src/main.ts', import.meta.url).pathname

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function vectors(...args: readonly string[]): Promise<Ran> {
  return run(main, ...args)
}

function run(program: string, ...args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--conditions=@callgate/source', program, ...args],
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

  it('finds its own vectors in a folder with a space and a # in its name', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'callgate vectors #'))
    try {
      await cp(new URL('../src', import.meta.url), join(folder, 'src'), { recursive: true })
      await symlink(
        fileURLToPath(new URL('../node_modules', import.meta.url)),
        join(folder, 'node_modules'),
      )
      await writeFile(join(folder, 'package.json'), '{"type":"module"}')
      await mkdir(join(folder, 'vectors'))
      await writeFile(join(folder, 'vectors/a.json'), '[{"id":"x"}]')
      const { code, stdout, stderr } = await run(join(folder, 'src/main.ts'))
      expect(stderr).toBe('')
      expect(stdout).toContain('waiting a.json: x')
      expect(code).toBe(0)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('takes a file whose name every object has as one that nothing runs', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'callgate-vectors-'))
    try {
      await writeFile(join(folder, 'constructor.json'), '{"vectors":[{"id":"x"}]}')
      const { code, stdout } = await vectors(folder)
      expect(stdout).toContain('waiting constructor.json: x')
      expect(code).toBe(0)
    } finally {
      await rm(folder, { recursive: true })
    }
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
