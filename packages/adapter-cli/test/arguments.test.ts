import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { ToolError } from '@callgate/spec'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { cliAdapter, type ArgumentRule } from '../src/index.ts'
import { call, tool, withInstance } from './host.ts'

let folder: string
let work: string
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'callgate-arguments-')))
  work = join(folder, 'work')
  mkdirSync(join(work, 'sub'), { recursive: true })
  mkdirSync(join(folder, 'work-evil'))
  writeFileSync(join(folder, 'secret'), 'SECRET')
  symlinkSync(join(folder, 'secret'), join(work, 'link-out'))
  symlinkSync('sub', join(work, 'link-in'))
  symlinkSync(join(folder, 'not-yet'), join(work, 'link-nowhere'))
})
afterAll(() => rmSync(folder, { recursive: true }))

interface Sample {
  readonly template: readonly unknown[]
  readonly properties: { readonly [name: string]: object }
  readonly required?: readonly string[]
  readonly rules?: { readonly [name: string]: ArgumentRule }
  readonly values: { readonly [name: string]: unknown }
}

/** The arguments that a program got, or the rule that kept it from running. */
async function outcome(sample: Sample): Promise<readonly string[] | string> {
  const print = 'console.log(JSON.stringify(process.argv.slice(2)))'
  writeFileSync(join(folder, 'print.cjs'), print)
  const definition = tool(
    {
      command: process.execPath,
      argsTemplate: [join(folder, 'print.cjs'), ...sample.template],
      arguments: sample.rules ?? {},
    },
    sample.properties,
    sample.required,
  )
  return withInstance(cliAdapter({ workspace: work, runner: false }), async (instance) => {
    try {
      const { data } = await call(instance, definition, sample.values)
      return JSON.parse((data as { stdout: string }).stdout) as string[]
    } catch (error) {
      if (!ToolError.isInstance(error) || error.code !== 'guard_refused') throw error
      return `${error.rule} ${error.parameter}`
    }
  })
}

const text = { type: 'string' }
const withRule = (rule: ArgumentRule, x: unknown): Sample => ({
  template: ['{x}'],
  properties: { x: text },
  rules: { x: rule },
  values: { x },
})

describe('a template', () => {
  it.each([
    [{ type: ['string', 'null'] }],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }],
    [{ type: ['string', 'null'], default: 'x' }],
  ])('leaves out what is null where that is a value: %j', async (schema) => {
    const properties = { x: schema, on: schema }
    const template = ['first', '{x}', '--x={x}', { when: 'on', args: ['--on', '{on}'] }, 'last']
    const sample: Sample = { template, properties, values: { x: null, on: null } }
    expect(await outcome(sample)).toEqual(['first', 'last'])
  })

  it('refuses null where it is no value', async () => {
    const sample = { template: ['{x}'], properties: { x: text }, values: { x: null } }
    expect(await outcome(sample)).toBe('type x')
  })

  it('spreads a list, also into options', async () => {
    const sample: Sample = {
      template: ['--add={names...}', '{names...}'],
      properties: { names: { type: 'array', items: text } },
      values: { names: ['a', 'b c'] },
    }
    expect(await outcome(sample)).toEqual(['--add=a', '--add=b c', 'a', 'b c'])
  })

  it.each([
    [{ names: ['a', '-b c'] }, ['-e', 'a', '-e', '-b c', '--', 'end']],
    [{ names: [] }, ['--', 'end']],
    [{}, ['--', 'end']],
    [{ names: ['a', 7] }, 'type names'],
    [{ names: ['a', '\0'] }, 'nul names'],
    [{ names: 'a' }, 'type names'],
  ])('repeats arguments for each item of a list: %j', async (values, argv) => {
    const sample: Sample = {
      template: [{ each: 'names', args: ['-e', '{names}'] }, '--', 'end'],
      properties: { names: { type: 'array', items: text } },
      required: [],
      rules: { names: { optionValue: true } },
      values,
    }
    expect(await outcome(sample)).toEqual(argv)
  })

  it.each([
    [{ names: ['b', 'a'] }, ['--by', 'b', '--by', 'a']],
    [{ names: ['c'] }, 'enum names'],
    [{ names: ['--x'] }, 'enum names'],
  ])('checks each item that is repeated: %j', async (values, argv) => {
    const sample: Sample = {
      template: [{ each: 'names', args: ['--by', '{names}'] }],
      properties: { names: { type: 'array', items: { enum: ['a', 'b'] } } },
      values,
    }
    expect(await outcome(sample)).toEqual(argv)
  })

  it('lets no repeated item become an option', async () => {
    const sample: Sample = {
      template: [{ each: 'names', args: ['-e', '{names}'] }],
      properties: { names: { type: 'array', items: text } },
      values: { names: ['a', '--output=x'] },
    }
    expect(await outcome(sample)).toBe('leading-dash names')
  })

  it.each([
    [{}, ['log']],
    [{ n: 3 }, ['log', '-n', '3']],
    [{ n: 0, all: true, path: 'x' }, ['log', '-n', '0', '--all', 'x']],
    [{ all: false }, ['log']],
  ])('leaves out what is not given: %j', async (values, argv) => {
    const sample: Sample = {
      template: [
        'log',
        { when: 'n', args: ['-n', '{n}'] },
        { when: 'all', args: ['--all'] },
        '{path}',
      ],
      properties: { n: { type: 'integer' }, all: { type: 'boolean' }, path: text },
      required: [],
      values,
    }
    expect(await outcome(sample)).toEqual(argv)
  })

  it('takes the default of what is not given', async () => {
    const properties = { n: { type: 'integer', default: 7 } }
    expect(await outcome({ template: ['n={n}'], properties, values: {} })).toEqual(['n=7'])
  })

  it.each([
    [{ a: '', b: '-x' }, 'leading-dash b'],
    [{ a: 'x', b: '-x' }, ['x-x']],
  ])('looks at the joined argument for a leading dash: %j', async (values, wanted) => {
    const properties = { a: text, b: text }
    expect(await outcome({ template: ['{a}{b}'], properties, values })).toEqual(wanted)
  })

  it.each([
    ['env', ['--', 'cat', '{x}'], 'leading-dash'],
    ['env', ['cat', '--', '{x}'], 'ran'],
    ['find', ['--', '{x}'], 'leading-dash'],
  ])('takes "--" for what it ends: %s %j', async (command, argsTemplate, wanted) => {
    const definition = tool({ command, argsTemplate, inheritEnv: ['PATH'] }, { x: text })
    await withInstance(cliAdapter({ workspace: work, runner: false }), async (instance) => {
      const rule = await call(instance, definition, { x: '-n' }).then(
        () => 'ran',
        (error: unknown) => (ToolError.isInstance(error) ? error.rule : error),
      )
      expect(rule).toBe(wanted)
    })
  })

  it('does not take an enum for a licence when the value is not in it', async () => {
    const properties = { x: { enum: ['-l'] } }
    expect(await outcome({ template: ['{x}'], properties, values: { x: '-la' } })).toBe('enum x')
    expect(await outcome({ template: ['{x}'], properties, values: { x: '-l' } })).toEqual(['-l'])
  })

  it('refuses arguments that are too long in all', async () => {
    const values = { names: Array.from({ length: 20 }, () => 'x'.repeat(100_000)) }
    const properties = { names: { type: 'array', items: text } }
    expect(await outcome({ template: ['{names...}'], properties, values })).toBe('length undefined')
  })

  it.each([
    ['a\0b', 'nul x'],
    ['\uD800', 'unicode-invalid x'],
    [{ a: '-x' }, 'type x'],
    [['a'], 'type x'],
    [undefined, 'required x'],
  ])('refuses the value %j', async (x, wanted) => {
    const values = x === undefined ? {} : { x }
    expect(await outcome({ template: ['{x}'], properties: { x: text }, values })).toBe(wanted)
  })
})

describe('a path', () => {
  it.each([
    ['file', './file'],
    ['sub/file', './sub/file'],
    ['./sub', './sub'],
    ['.', '.'],
    ['link-in/new', './link-in/new'],
    ['...', './...'],
    ['not there/yet/你好', './not there/yet/你好'],
  ])('in the working directory is handed over so that it is a path: %s', async (x, wanted) => {
    expect(await outcome(withRule({ kind: 'path' }, x))).toEqual([wanted])
  })

  it('may be absolute when it lies in the working directory', async () => {
    const inside = join(work, 'sub')
    expect(await outcome(withRule({ kind: 'path' }, inside))).toEqual([inside])
  })

  it.each([
    '',
    '..',
    '../secret',
    'sub/../../secret',
    'sub/../file',
    '/etc/passwd',
    'link-out',
    'link-nowhere',
    'link-out/x',
    'host.example:/etc',
    'C:\\windows',
    '..\\secret',
  ])('elsewhere is refused: %j', async (x) => {
    expect(await outcome(withRule({ kind: 'path' }, x))).toBe('kind-path x')
  })

  it('in a folder whose name begins like the working directory is refused', async () => {
    const rule: ArgumentRule = { kind: 'path' }
    expect(await outcome(withRule(rule, join(folder, 'work-evil')))).toBe('kind-path x')
  })
})

describe('a kind', () => {
  it.each([
    ['url', 'https://h.example/a?b=[c]#d', true],
    ['url', 'HTTPS://h.example', true],
    ['url', 'http://h.example', 'url-scheme x'],
    ['url', '//h.example', 'url-scheme x'],
    ['url', 'https://user@h.example', 'kind-url x'],
    ['url', 'https://h.example\\@evil.example', 'kind-url x'],
    ['url', 'https://h.example/a b', 'kind-url x'],
    ['url', 'https://-oProxyCommand=x/', 'kind-url x'],
    ['host', 'h-1.example', true],
    ['host', '::1', true],
    ['host', 'a b', 'kind-host x'],
    ['host', 'user@host', 'kind-host x'],
    ['host', `${'a'.repeat(64)}.example`, 'kind-host x'],
    ['rev', 'main~3..feature/x^{}', true],
    ['rev', 'v1.0@{upstream}', true],
    ['rev', 'HEAD:secret', 'kind-rev x'],
    ['rev', 'a b', 'kind-rev x'],
    ['text', ' $(x) ', true],
  ] as const)('%s takes %j: %s', async (kind, x, wanted) => {
    expect(await outcome(withRule({ kind }, x))).toEqual(wanted === true ? [x] : wanted)
  })

  it('keeps declared beginnings out', async () => {
    expect(await outcome(withRule({ denyPrefix: ['@', '<'] }, '@file'))).toBe('deny-prefix x')
  })
})
