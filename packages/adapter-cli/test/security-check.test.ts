import { describe, expect, it } from 'vitest'

import { securityCheck, type CliOptions, type ToolSecurity } from '../src/index.ts'
import { testHost, tool } from './host.ts'

function check(
  declared: ReturnType<typeof tool>,
  options: CliOptions = {},
): ToolSecurity & { readonly ok: boolean } {
  const { ok, tools } = securityCheck(options, [declared], testHost({ TOKEN: 'secret-value' }))
  return { ...tools[0]!, ok }
}

const text = { type: 'string' }

describe('the security check', () => {
  it('tells how a tool is run', () => {
    const declared = tool({
      command: 'cat',
      env: { API_TOKEN: '{env:TOKEN}' },
      limits: { cpuSeconds: 5 },
    })
    expect(check(declared, { programs: ['cat'] })).toMatchObject({
      ok: true,
      tool: 'local::probe',
      facts: {
        program: expect.stringMatching(/\/cat$/),
        isolation: 'none',
        environment: ['API_TOKEN'],
        limits: { cpuSeconds: 5 },
        network: true,
      },
      weaknesses: [{ rule: 'no-sandbox' }],
    })
  })

  it('takes the fault of a parameter for no other whose name begins it', () => {
    const declared = tool(
      { command: 'cat', argsTemplate: ['{a}', '{ab}'] },
      { a: text, ab: { ...text, pattern: '^[0-9]+$' } },
    )
    const ofA = check(declared).probes.filter(({ parameter }) => parameter === 'a')
    expect(ofA.map(({ rule }) => rule)).toContain('leading-dash')
    expect(ofA.map(({ rule }) => rule)).not.toContain('pattern')
  })

  it('tries exec_command too, with every program that it may run', () => {
    const exec = { programs: ['cat', { program: 'git', subcommands: ['log'], options: ['-n'] }] }
    const { ok, tools } = securityCheck({ exec, name: 'local' } as CliOptions, [], testHost())
    const [found] = tools
    expect(found).toMatchObject({
      tool: 'local::exec_command',
      facts: { program: 'cat, git', isolation: 'none', treeEnd: 'process-table' },
      weaknesses: [{ rule: 'no-sandbox' }, { rule: 'no-limits' }],
    })
    expect(ok).toBe(true)
    const ofGit = found!.probes.filter(({ attack }) => attack.endsWith('git'))
    expect(Object.fromEntries(ofGit.map(({ attack, rule }) => [attack, rule]))).toEqual({
      'parent folder, git': 'dotdot',
      'absolute path, git': 'absolute',
      'path behind a key, git': 'absolute',
      'file named by @, git': 'absolute',
      'file behind a key and <, git': 'absolute',
      'environment of the process, git': 'absolute',
      'local file as a URL, git': 'url-scheme',
      'path on another host, git': 'url-scheme',
      'option that is not listed, git': 'leading-dash',
      'NUL, git': 'nul',
      'half a surrogate pair, git': 'unicode-invalid',
      'argument beyond the kernel limit, git': 'length',
      'program that is not listed, git': 'allow-list',
      'other path of a program, git': 'allow-list',
      'folder outside, git': 'absolute',
      'first argument that is not listed, git': 'subcommand',
    })
  })

  it('finds that exec_command is held by nothing where the workspace is the disk', () => {
    const options = { workspace: '/', exec: { programs: ['cat'] } }
    const { ok, tools } = securityCheck(options, [], testHost())
    expect(ok).toBe(false)
    expect(tools[0]!.probes).toContainEqual(
      expect.objectContaining({ attack: 'absolute path, cat', outcome: 'hole' }),
    )
  })

  it('names the rule that stops each attack, and what arrives as plain text', () => {
    const declared = tool(
      { command: 'cat', argsTemplate: ['{file}'], arguments: { file: { kind: 'path' } } },
      { file: text },
    )
    const { ok, probes } = check(declared)
    expect(ok).toBe(true)
    expect(Object.fromEntries(probes.map((one) => [one.attack, one.rule ?? one.outcome]))).toEqual({
      'shell operators': 'literal',
      'command substitution': 'literal',
      'second template pass': 'kind-path',
      'long option': 'leading-dash',
      'short option': 'leading-dash',
      NUL: 'nul',
      'half a surrogate pair': 'unicode-invalid',
      'argument beyond the kernel limit': 'length',
      'parent folder': 'kind-path',
      'absolute path': 'kind-path',
      'environment of the process': 'kind-path',
      'path on another host': 'kind-path',
    })
  })

  it('tells a dash that is data from one that is an option', () => {
    const declared = tool(
      {
        command: 'grep',
        argsTemplate: ['-e', '{pattern}', '--', '{names...}'],
        arguments: { pattern: { optionValue: true } },
      },
      { pattern: text, names: { type: 'array', items: text } },
    )
    const { ok, probes } = check(declared)
    expect(ok).toBe(true)
    const dashes = probes.filter(({ attack }) => attack === 'long option')
    expect(dashes.map(({ parameter, outcome }) => [parameter, outcome])).toEqual([
      ['pattern', 'literal'],
      ['names', 'literal'],
    ])
  })

  it('takes the schema for the guard that it is', () => {
    const declared = tool(
      { command: 'cat', argsTemplate: ['{x}'] },
      { x: { type: 'string', pattern: '^[a-z]+$' } },
    )
    const { probes } = check(declared)
    expect(new Set(probes.map(({ rule }) => rule))).toEqual(new Set(['pattern', 'length']))
  })

  it('reports a tool that cannot be registered', () => {
    const { ok, refused } = check(tool({ command: 'ls -la' }))
    expect(ok).toBe(false)
    expect(refused).toMatchObject({ rule: 'legacy-string' })
  })

  it('names what a declaration leaves open', () => {
    const declared = tool(
      {
        command: 'cat',
        argsTemplate: ['{output_file}', '{name}', '{site}'],
        env: { LD_PRELOAD: '/x.so' },
        arguments: { name: { optionValue: true }, site: { kind: 'url' } },
      },
      { output_file: text, name: text, site: text },
    )
    expect(check(declared).weaknesses.map(({ rule }) => rule)).toEqual([
      'no-allow-list',
      'no-sandbox',
      'no-limits',
      'loading-variable',
      'path-unchecked',
      'address-unchecked',
      'option-value',
    ])
  })

  it.each([
    ['^[a-z]+$', false],
    ['^(a|b)$', false],
    ['[a-z]+', true],
    ['^[a-z]+', true],
    ['^a|b$', true],
    ['^a\\$', true],
  ])('tells a pattern that lets more through than it looks: %s', (pattern, isOpen) => {
    const declared = tool(
      { command: 'echo', argsTemplate: ['{name}'] },
      { name: { ...text, pattern } },
    )
    const rules = check(declared).weaknesses.map(({ rule }) => rule)
    expect(rules.includes('pattern-open')).toBe(isOpen)
  })
})
