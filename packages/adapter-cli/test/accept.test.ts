import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { InvalidToolError } from '@callgate/spec'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { cliAdapter, type CliOptions } from '../src/index.ts'
import { call, testHost, tool, withInstance } from './host.ts'

let folder: string
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'callgate-accept-')))
  mkdirSync(join(folder, 'work'))
  symlinkSync('/', join(folder, 'work', 'out'))
})
afterAll(() => rmSync(folder, { recursive: true }))

type Backend = Parameters<typeof tool>[0]

/** What a refusal says, or undefined. */
function refusal(
  backend: Backend,
  properties: Parameters<typeof tool>[1] = {},
  options: CliOptions = {},
): { readonly [fact in 'rule' | 'hint' | 'where']: string | undefined } | undefined {
  const instance = cliAdapter({ workspace: join(folder, 'work'), ...options }).create(testHost())
  try {
    instance.accept?.(tool(backend, properties))
    return undefined
  } catch (error) {
    if (!(error instanceof InvalidToolError)) throw error
    return { rule: error.rule, hint: error.hint, where: error.where }
  }
}

const text = { type: 'string' }
const texts = { type: 'array', items: text }

describe('a declaration', () => {
  it('as one command line is refused, and the refusal shows how to write it', () => {
    expect(refusal({ command: `grep -r "two words" {dir}`, argsTemplate: undefined })).toEqual({
      rule: 'legacy-string',
      where: 'local::probe',
      hint: 'Write command: grep and argsTemplate: ["-r","two words","{dir}"].',
    })
  })

  it('that needs a shell is refused with what to do instead', () => {
    expect(refusal({ command: 'cat {file} | wc -l' })).toMatchObject({
      rule: 'legacy-string',
      hint: expect.stringContaining('There is no shell'),
    })
  })

  it.each([
    ['an unknown key', { command: 'ls', shell: true }, 'backend'],
    ['a key of the wrong type', { command: 'ls', successCodes: ['0'] }, 'backend'],
    ['a program that is not there', { command: 'no-such-program' }, 'program-missing'],
    [
      'a repetition of what is no parameter',
      { command: 'ls', argsTemplate: [{ each: 'who', args: ['{who}'] }] },
      'template',
    ],
    ['an exit code that is none', { command: 'ls', exitCodes: { many: {} } }, 'backend'],
    [
      'an exit code with another error',
      { command: 'ls', exitCodes: { 1: { error: 'x' } } },
      'backend',
    ],
    ['a relative program', { command: './tool' }, 'relative-command'],
    ['a program chosen by a value', { command: '{program}' }, 'command-template'],
    ['a working directory that is not there', { command: 'ls', workingDir: 'none' }, 'working-dir'],
    ['a working directory outside', { command: 'ls', workingDir: '/' }, 'working-dir'],
    ['a working directory behind a link', { command: 'ls', workingDir: 'out' }, 'working-dir'],
    [
      'a secret in an argument',
      { command: 'ls', argsTemplate: ['{env:TOKEN}'] },
      'secret-in-arguments',
    ],
    ['a secret that is written out', { command: 'ls', env: { API_KEY: 'abc' } }, 'secret-literal'],
    ['a secret that is not there', { command: 'ls', env: { A: '{env:NONE}' } }, 'secret-missing'],
    ['an encoding that is not there', { command: 'ls', encoding: 'none' }, 'encoding'],
    ['a placeholder without a parameter', { command: 'ls', argsTemplate: ['{{dir}}'] }, 'template'],
    ['a list without a parameter', { command: 'ls', argsTemplate: ['{dirs...}'] }, 'template'],
    [
      'a rule for no parameter',
      { command: 'ls', arguments: { dir: { kind: 'path' } } },
      'template',
    ],
    ['a batch file', { command: 'C:\\tools\\run.CMD' }, 'windows-batch'],
  ])('with %s is refused', (_what, backend, rule) => {
    expect(refusal(backend as Backend)).toEqual({
      rule,
      where: 'local::probe',
      hint: expect.stringMatching(/^[A-Z].+\.$/),
    })
  })

  it.each([
    ['a list in one argument', ['{x}'], texts],
    ['a text spread', ['{x...}'], text],
    ['an object', ['{x}'], { type: 'object' }],
    ['a parameter that is not used', ['x'], text],
    ['a broken placeholder', ['{{x}'], text],
    ['an open placeholder', ['{x}', '{{x'], text],
  ])('with %s is refused', (_what, argsTemplate, schema) => {
    expect(refusal({ command: 'ls', argsTemplate }, { x: schema })?.rule).toBe('template')
  })

  it.each([
    ['the name of an option', ['--{x}'], 'option-name'],
    ['a short option', ['-{x}'], 'option-name'],
  ])('that lets a value choose %s is refused', (_what, argsTemplate, rule) => {
    expect(refusal({ command: 'ls', argsTemplate }, { x: text })?.rule).toBe(rule)
  })

  it.each([
    ['sh', ['-c', '{x}']],
    ['sh', ['-ec', 'echo {x}']],
    ['bash', ['-o', 'pipefail', '-c', '{x}']],
    ['env', ['A=1', 'sh', '-c', '{x}']],
    ['env', ['{x}']],
    ['timeout', ['5', '{x}']],
    ['xargs', ['-n1', 'sh', '-c', '{x}']],
    ['node', ['-e', '{x}']],
    ['node', ['--eval={x}']],
    ['python3', ['-c', '{x}']],
    ['python3', ['-Ic', 'print({x})']],
    ['perl', ['-ne', '{x}', 'file']],
    ['perl', ['-M{x}', 'script.pl']],
    ['php', ['-r', '{x}']],
    ['php', ['-R', '{x}']],
    ['deno', ['eval', '--ext=ts', '{x}']],
    ['bun', ['exec', '{x}']],
    ['bun', ['x', '{x}']],
    ['awk', ['{x}', 'file']],
    ['awk', ['-F', ':', '/{x}/', 'file']],
    ['sed', ['-n', '{x}p', 'file']],
    ['sed', ['-e', 's/a/{x}/', 'file']],
    ['find', ['.', '-exec', 'cat', '{x}', ';']],
    ['find', ['.', '-execdir', '{x}', '+']],
    ['ssh', ['-p', '22', 'host.example', 'ls {x}']],
    ['ssh', ['-o', '{x}', 'host.example']],
    ['git', ['-c', '{x}', 'log']],
    ['git', ['ls-remote', '--upload-pack={x}', 'origin']],
    ['tar', ['-xf', 'a.tar', '--to-command={x}']],
    ['tar', ['-I', '{x}', '-xf', 'a.tar']],
    ['make', ['{x}']],
    ['make', ['-s', 'test', '{x}']],
    ['sqlite3', ['notes.db', '{x}']],
    ['psql', ['-Atc', '{x}']],
    ['mysql', ['--execute={x}', 'notes']],
    ['vim', ['-es', '-c', '{x}', 'file']],
    ['vim', ['+{x}', 'file']],
    ['gdb', ['-batch', '-ex', '{x}']],
    ['socat', ['-', '{x}']],
    ['ncat', ['-l', '80', '--sh-exec', '{x}']],
    ['su', ['nobody', '-c', '{x}']],
    ['npx', ['{x}']],
    ['nice', ['-n', '5', 'make', '{x}']],
  ])('that makes program text of a value is refused: %s %j', (command, argsTemplate) => {
    expect(refusal(withStandIn(command, argsTemplate), { x: text }, standIns())?.rule).toBe(
      'interpreter-code',
    )
  })

  it.each([
    ['sh', ['-c', 'grep -e "$1" notes', 'sh', '{x}']],
    ['sh', ['script.sh', '-c', '{x}']],
    ['python3', ['-u', 'tool.py', '-c', '{x}']],
    ['node', ['--conditions=x', 'tool.js', '-e', '{x}']],
    ['perl', ['-MJSON', 'script.pl', '-e', '{x}']],
    ['deno', ['run', 'tool.ts', '{x}']],
    ['awk', ['-f', 'script.awk', '{x}']],
    ['sed', ['--sandbox', 's/a/{x}/']],
    ['ssh', ['-p', '22', '--', '{x}', 'uptime']],
    ['find', ['.', '-name', '{x}', '-exec', 'cat', '{}', ';']],
    ['git', ['log', '-c', '{x}']],
    ['timeout', ['5', 'grep', '{x}']],
    ['sqlite3', ['-safe', 'notes.db', '{x}']],
    ['psql', ['-v', 'name={x}', '-f', 'query.sql']],
    ['grep', ['--format={{json .}}', '{a,b}', '{}', '{x}']],
  ])('that keeps program text fixed is accepted: %s %j', (command, argsTemplate) => {
    expect(refusal(withStandIn(command, argsTemplate), { x: text }, standIns())).toBeUndefined()
  })

  it.each([
    ['make', ['{x}'], { enum: ['test', 'build'] }],
    ['sh', ['-c', '{x}'], { const: 'ls' }],
    ['env', ['{x}', 'file'], { enum: ['cat', 'wc'] }],
  ])('lets one of a closed list be program text: %s %j', (command, argsTemplate, schema) => {
    expect(refusal(withStandIn(command, argsTemplate), { x: schema }, standIns())).toBeUndefined()
  })

  it.each(['sqlite3', 'mysql', 'vim', 'ed', 'at', 'crontab'])(
    'lets no value reach %s by standard input, where it runs programs',
    (command) => {
      const fed = { ...withStandIn(command, ['file']), stdin: '{x}' }
      expect(refusal(fed, { x: text }, standIns())?.rule).toBe('interpreter-code')
    },
  )

  it('lets an interpreter read program text from standard input only when it is fixed', () => {
    expect(refusal({ command: 'sh', stdin: '{x}' }, { x: text })?.rule).toBe('interpreter-code')
    expect(refusal({ command: 'sh', argsTemplate: ['s.sh'], stdin: '{x}' }, { x: text })).toBe(
      undefined,
    )
  })

  it('names a program by what it is, so that a link or another path changes nothing', () => {
    const bin = join(folder, 'bin')
    mkdirSync(bin, { recursive: true })
    symlinkSync('/bin/cat', join(bin, 'git'))
    const programs = { programs: ['git'], path: '/usr/bin:/bin' }
    expect(refusal({ command: join(bin, 'git') }, {}, programs)?.rule).toBe('allow-list')
    expect(refusal({ command: '/bin/git' }, {}, programs)).toBeUndefined()
  })

  it('names a program by its name where one file holds many programs', () => {
    const bin = join(folder, 'many')
    mkdirSync(bin)
    copyFileSync('/bin/cat', join(bin, 'busybox'))
    for (const name of ['cat', 'sh']) symlinkSync('busybox', join(bin, name))
    const one = { programs: ['cat'], path: bin }
    expect(refusal({ command: 'cat', argsTemplate: ['{x}'] }, { x: text }, one)).toBeUndefined()
    expect(refusal({ command: 'sh' }, {}, one)?.rule).toBe('allow-list')
    const all = { programs: ['busybox'], path: bin }
    expect(refusal({ command: 'sh', argsTemplate: ['-c', 'ls'] }, {}, all)).toBeUndefined()
    for (const command of ['sh', 'busybox']) {
      const coded = { command, argsTemplate: ['-c', '{x}'] }
      expect(refusal(coded, { x: text }, all)?.rule).toBe('interpreter-code')
    }
  })
})

describe('a registered program', () => {
  it('is not run any more when another file is in its place', async () => {
    const path = join(folder, 'swapped')
    writeFileSync(path, '#!/bin/sh\necho one\n', { mode: 0o755 })
    await withInstance(cliAdapter({ runner: false }), async (instance) => {
      const definition = tool({ command: path })
      instance.accept?.(definition)
      expect((await call(instance, definition)).data).toMatchObject({ stdout: 'one\n' })
      rmSync(path)
      await expect(call(instance, definition)).rejects.toMatchObject({
        code: 'backend_unavailable',
        rule: 'program-missing',
        started: 'no',
      })
      writeFileSync(path, '#!/bin/sh\necho two!\n', { mode: 0o755 })
      await expect(call(instance, definition)).rejects.toMatchObject({
        code: 'guard_refused',
        rule: 'program-changed',
      })
    })
  })

  it('that is gone makes the adapter unwell, and says which it is', async () => {
    const path = join(folder, 'gone')
    writeFileSync(path, '#!/bin/sh\n', { mode: 0o755 })
    await withInstance(cliAdapter({ runner: false }), async (instance) => {
      instance.accept?.(tool({ command: path }))
      const health = () => instance.health?.(new AbortController().signal)
      expect(await health()).toEqual({ state: 'ok' })
      rmSync(path)
      expect(await health()).toEqual({ state: 'degraded', reason: `not there any more: ${path}` })
    })
  })

  it('that is no program of this system is reported, and nothing ran', async () => {
    const path = join(folder, 'no-interpreter')
    writeFileSync(path, '#!/no/such/interpreter\n', { mode: 0o755 })
    await withInstance(cliAdapter({ runner: false }), async (instance) => {
      await expect(call(instance, tool({ command: path }))).rejects.toMatchObject({
        code: 'backend_unavailable',
        started: 'no',
      })
    })
  })
})

/** Interpreters need not be there: a stand-in of their name is enough to be registered. */
function standIns(): CliOptions {
  return { path: join(folder, 'stand-ins') }
}

function withStandIn(command: string, argsTemplate: readonly string[]): Backend {
  mkdirSync(join(folder, 'stand-ins'), { recursive: true })
  writeFileSync(join(folder, 'stand-ins', command), '#!/bin/sh\n', { mode: 0o755 })
  return { command, argsTemplate }
}
