import { cliAdapter } from '@callgate/adapter-cli'
import { fileAdapter } from '@callgate/adapter-file'
import { httpAdapter } from '@callgate/adapter-http'
import { createGateway, readTools } from '@callgate/core'
import { InvalidToolError } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

const adapters = [
  cliAdapter({}),
  fileAdapter({ roots: { notes: { path: import.meta.dirname } } }),
  httpAdapter({}),
]

/** The error of a tool that is declared as in a file. */
function errorOf(backend: object, parameters: object): InvalidToolError {
  const tool = { name: 'faulty', description: 'A tool with many faults.', parameters, backend }
  try {
    createGateway({ adapters, tools: readTools([tool]) })
  } catch (error) {
    if (error instanceof InvalidToolError) return error
    throw error
  }
  throw new Error('It was registered.')
}

const texts = (...names: readonly string[]): object => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
})

describe('one report of a faulty tool tells all that is wrong (A1)', () => {
  it.each([
    [
      'a program',
      {
        adapter: 'cli',
        command: 'no-such-program',
        args_template: ['{{a}}', '{{nobody}}', '--{{a}}'],
        arguments: { who: { kind: 'path' } },
        working_dir: '/',
        env: { API_TOKEN: 'written out', OTHER: '{env:NOT_THERE}' },
        encoding: 'klingon',
        isolation: 'jail',
      },
      texts('a'),
      [
        'program-missing',
        'template',
        'option-name',
        'template',
        'working-dir',
        'secret-literal',
        'secret-missing',
        'encoding',
        'isolation-unknown',
      ],
    ],
    [
      'the shape of a program',
      { adapter: 'cli', command: 'ls', args_template: [7], success_codes: 'all' },
      texts(),
      ['backend', 'backend'],
    ],
    [
      'files',
      { adapter: 'file', operation: 'read', root: 'work', normalize_path: 'yes', mode: 'fast' },
      texts('paht'),
      ['backend-key', 'root', 'parameters', 'parameters', 'normalize-path'],
    ],
    [
      'a request',
      {
        adapter: 'http',
        method: 'FETCH',
        base_url: 'ftp://host.example',
        path: '/x',
        headers: { host: 'a', 'bad name': '{a}' },
        body: { media_type: 'text/plain' },
        auth: { type: 'bearer', token: '{env:NOT_THERE}' },
      },
      texts('a'),
      ['method', 'server-url', 'header-name', 'header-name', 'body', 'secret-missing'],
    ],
  ])('%s', (_what, backend, parameters, rules) => {
    const { faults = [], message, rule, where } = errorOf(backend, parameters)
    expect(faults.map((fault) => fault.rule)).toEqual(rules)
    expect({ rule, where }).toEqual({ rule: rules[0], where: 'local::faulty' })
    for (const fault of faults) {
      expect(fault.hint).toMatch(/^\S.*$/)
      expect(message).toContain(`${fault.rule}: ${fault.message} ${fault.hint}`)
    }
  })

  it('is one sentence where one thing is wrong', () => {
    const { faults, message, hint } = errorOf(
      { adapter: 'file', operation: 'read', root: 'work' },
      texts('path'),
    )
    expect(message).toBe('Tool "local::faulty": there is no root "work".')
    expect(hint).toBe('Roots are notes.')
    expect(faults).toHaveLength(1)
  })
})

describe('what does not fit in a backend block is told in the same words by every adapter (A1)', () => {
  const list = { adapter: 'cli', command: 'ls', argsTemplate: ['-l'] }
  const get = { adapter: 'http', url: 'https://host.example/' }
  it.each([
    [{ ...list, comand: 'x' }, 'there is the unknown field "comand" in backend; expected one of'],
    [
      { ...get, qery: {} },
      'there is the unknown field "qery" in backend; expected one of',
      'query',
    ],
    [{ adapter: 'cli', command: 'ls' }, '"argsTemplate" (array of', undefined, 'argsTemplate'],
    [{ ...get, auth: { type: 'beer' } }, 'expected one of "bearer", "basic", "apiKey"', 'bearer'],
    [{ ...get, auth: { type: 'apikey' } }, 'backend/auth/type is string "apikey"', 'apiKey'],
    [
      { ...get, auth: { type: 'bearer' } },
      '"token" (string) is missing in backend/auth',
      undefined,
      'token',
    ],
    [
      { ...get, auth: { type: 'bearer', tokn: '{env:A}', token: '{env:A}' } },
      'there is the unknown field "tokn" in backend/auth; expected one of "type", "token".',
    ],
    [
      { ...get, pagination: { by: 'foo' } },
      'backend/pagination/by is string "foo"; expected one of "link", "cursor", "page", "offset".',
    ],
    [
      { ...get, pagination: { by: 'page', parameter: '' } },
      'backend/pagination/parameter is string ""; expected at least 1 character.',
    ],
  ] as const)('%j', (backend, message, meant?: string, missing?: string) => {
    const error = errorOf(backend, texts())
    expect(error.rule).toBe('backend')
    expect(error.message).toContain(message)
    if (meant !== undefined) expect(error.hint).toBe(`Did you mean "${meant}"?`)
    if (missing !== undefined) expect(error.hint).toBe(`Give "${missing}".`)
  })

  it('a secret that is written out has a rule of its own', () => {
    const error = errorOf({ ...get, auth: { type: 'bearer', token: 'abc' } }, texts())
    expect(error).toMatchObject({
      rule: 'secret-literal',
      hint: 'Name it by reference, such as "{env:API_TOKEN}".',
    })
  })

  it('a list of arguments is named as the messages of the block name their keys', () => {
    const error = errorOf({ adapter: 'cli', command: 'ls', args_template: '-l' }, texts())
    expect(error.hint).toBe('Write command: ls and argsTemplate: ["-l"].')
  })
})
