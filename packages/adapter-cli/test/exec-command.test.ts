import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { InvalidOptionsError, ToolError, type ToolDefinition } from '@callgate/spec'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { cliAdapter, type CliOptions } from '../src/index.ts'
import { call, testHost, withInstance } from './host.ts'

let folder: string
let work: string
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'callgate-exec-')))
  work = join(folder, 'work')
  mkdirSync(join(work, 'sub'), { recursive: true })
  writeFileSync(join(work, 'notes.txt'), 'one\ntwo\n')
  writeFileSync(join(work, 'sub', 'deep.txt'), 'deep\n')
  writeFileSync(join(folder, 'secret'), 'SECRET')
  symlinkSync(join(folder, 'secret'), join(work, 'link'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const options = (): CliOptions & { name: string } => ({
  name: 'local',
  runner: false,
  workspace: work,
  exec: {
    programs: [
      'cat',
      { program: 'grep', options: ['-r', '-n', '--include'] },
      {
        program: 'git',
        subcommands: ['status', 'log', 'diff'],
        options: ['--stat', '--max-count'],
      },
      'no-such-program',
    ],
  },
})

type Values = { readonly [name: string]: unknown }

/** What came of a call: the standard output, or the rule and the parameter that kept it from running. */
async function outcome(values: Values): Promise<string> {
  return withInstance(cliAdapter(options()), async (instance) => {
    const [found] = await instance.discover!(new AbortController().signal)
    const definition: ToolDefinition = { ...found!, namespace: 'local' }
    instance.accept?.(definition)
    try {
      const { data } = await call(instance, definition, values)
      return (data as { stdout: string }).stdout
    } catch (error) {
      if (!ToolError.isInstance(error) || error.code !== 'guard_refused') throw error
      return `${error.rule} ${error.parameter}`
    }
  })
}

describe('exec_command', () => {
  it('is offered with the programs that are there', async () => {
    const host = testHost()
    const instance = cliAdapter(options()).create(host)
    const [found] = await instance.discover!(new AbortController().signal)
    expect(found).toMatchObject({
      name: 'exec_command',
      backend: { adapter: 'local' },
      parameters: { properties: { command: { enum: ['cat', 'grep', 'git'] } } },
    })
    expect(found!.description).toContain('- git status|log|diff: options --stat --max-count')
    expect(host.lines).toEqual(['warn exec_command: the program no-such-program is not there'])
  })

  it('is not offered unless programs are given', async () => {
    const instance = cliAdapter({}).create(testHost())
    expect(await instance.discover!(new AbortController().signal)).toEqual([])
  })

  it('runs a program of the list', async () => {
    const args = ['-r', '--include=*.txt', 'deep', '.']
    expect(await outcome({ command: 'grep', args })).toBe('./sub/deep.txt:deep\n')
  })

  it('runs below the workspace where it is told to', async () => {
    expect(await outcome({ command: 'cat', args: ['deep.txt'], cwd: 'sub' })).toBe('deep\n')
    expect(await outcome({ command: 'cat', args: ['../notes.txt'], cwd: 'sub' })).toBe('one\ntwo\n')
  })

  it('takes a text that can be no path: too long for a name, or below a file', async () => {
    const words = 'word '.repeat(80)
    expect(await outcome({ command: 'grep', args: [words, 'notes.txt'] })).toBe('')
    expect(await outcome({ command: 'grep', args: [`sub/${words}/x`, 'notes.txt'] })).toBe('')
    expect(await outcome({ command: 'grep', args: ['notes.txt/x', 'notes.txt'] })).toBe('')
    expect(await outcome({ command: 'grep', args: ['</div>', 'notes.txt'] })).toBe('')
    expect(await outcome({ command: 'grep', args: ['ann@example.com', 'notes.txt'] })).toBe('')
    expect(await outcome({ command: 'grep', args: ['https://a.example/@b/c', 'notes.txt'] })).toBe(
      '',
    )
  })

  it.each<[Values, string]>([
    [{ command: 'rm', args: ['x'] }, 'allow-list command'],
    [{ command: '/bin/cat' }, 'allow-list command'],
    [{ command: 'no-such-program' }, 'allow-list command'],
    [{ command: 'cat', args: 'notes.txt' }, 'type args'],
    [{ command: 'cat', args: [1] }, 'type args'],
    [{ command: 'cat', args: ['-n', 'notes.txt'] }, 'leading-dash args'],
    [{ command: 'grep', args: ['-f/etc/shadow', '.'] }, 'leading-dash args'],
    [{ command: 'grep', args: ['-rn', 'x', '.'] }, 'leading-dash args'],
    [{ command: 'git', args: ['push'] }, 'subcommand args'],
    [{ command: 'git' }, 'subcommand args'],
    [{ command: 'git', args: ['-c', 'alias.log=!id', 'log'] }, 'subcommand args'],
    [{ command: 'git', args: ['log', '--output=x'] }, 'leading-dash args'],
    [{ command: 'git', args: ['diff', '--no-index', 'a', 'b'] }, 'leading-dash args'],
    [{ command: 'cat', args: ['/etc/passwd'] }, 'absolute args'],
    [{ command: 'cat', args: ['../secret'] }, 'dotdot args'],
    [{ command: 'cat', args: ['--', '../secret'] }, 'dotdot args'],
    [{ command: 'cat', args: ['link'] }, 'symlink args'],
    [{ command: 'cat', args: ['--', '-d/../../key=value/secret'] }, 'dotdot args'],
    [{ command: 'cat', args: [`link/${'x'.repeat(300)}`] }, 'symlink args'],
    [{ command: 'cat', args: [`${'x'.repeat(300)}/../../secret`] }, 'dotdot args'],
    [{ command: 'grep', args: ['--include=/etc/x', 'x', '.'] }, 'absolute args'],
    [{ command: 'cat', args: ['file:///etc/passwd'] }, 'url-scheme args'],
    [{ command: 'cat', args: ['file:/etc/passwd'] }, 'url-scheme args'],
    [{ command: 'cat', args: ['host.example:/etc/passwd'] }, 'url-scheme args'],
    [{ command: 'cat', args: ['if=/etc/passwd'] }, 'absolute args'],
    [{ command: 'cat', args: ['of=../out'] }, 'dotdot args'],
    [{ command: 'cat', args: ['if=link'] }, 'symlink args'],
    [{ command: 'cat', args: ['@/etc/passwd'] }, 'absolute args'],
    [{ command: 'grep', args: ['--include=data=@../secret', 'x'] }, 'dotdot args'],
    [{ command: 'grep', args: ['--include=data=<../secret', 'x'] }, 'dotdot args'],
    [{ command: 'cat', args: ['data=</etc/passwd'] }, 'absolute args'],
    [{ command: 'cat', args: ['data@/etc/passwd'] }, 'absolute args'],
    [{ command: 'cat', args: ['a\0b'] }, 'nul args'],
    [{ command: 'cat', cwd: '..' }, 'dotdot cwd'],
    [{ command: 'cat', cwd: '/' }, 'absolute cwd'],
    [{ command: 'cat', cwd: 'notes.txt' }, 'working-dir cwd'],
  ])('refuses %j', async (values, wanted) => {
    expect(await outcome(values)).toBe(wanted)
  })

  it.each([
    ['sh'],
    ['/usr/bin/python3.12'],
    ['env'],
    ['awk'],
    ['ssh'],
    [{ program: 'find', options: ['-name', '-exec'] }],
    [{ program: 'git', options: ['-c'] }],
  ])('does not take %j, with which the model could run anything', (program) => {
    const bound = cliAdapter({ exec: { programs: [program] } })
    expect(() => bound.create(testHost())).toThrow(InvalidOptionsError)
  })

  it('says what is wrong with it by the name that the adapter has', async () => {
    const bound = cliAdapter({ ...options(), env: { TOKEN: '{env:NOT_THERE}' } })
    const instance = bound.create(testHost())
    await expect(instance.discover!(new AbortController().signal)).rejects.toMatchObject({
      rule: 'secret-missing',
      message: expect.stringContaining('"local::exec_command"'),
    })
  })

  it('does not take a link to a program with which the model could run anything', async () => {
    const alias = join(folder, 'script-runner')
    symlinkSync(process.execPath, alias)
    const instance = cliAdapter({ exec: { programs: [alias] } }).create(testHost())
    await expect(instance.discover!(new AbortController().signal)).rejects.toMatchObject({
      rule: 'interpreter-code',
      message: expect.stringContaining(alias),
    })
  })
})
