import { spawnSync } from 'node:child_process'

import { describe, expect, it } from 'vitest'

const root = new URL('../..', import.meta.url)

function run(script: string, ...args: readonly string[]): ReturnType<typeof spawnSync> {
  return spawnSync(process.execPath, ['--conditions=@callgate/source', script, ...args], {
    cwd: root,
    encoding: 'utf8',
  })
}

describe('a script of the repository', () => {
  it.each([
    ['scripts/check.ts', 'typs', /no step "typs"[^]*\n {2}types\n/],
    ['scripts/check.ts', '--typs', /'--typs'/],
    ['scripts/snippets.ts', '--wite', /'--wite'[^]*--write/],
    ['scripts/snippets.ts', 'write', /'write'[^]*--write/],
    ['benchmarks/src/main.ts', 'dispach', /"dispach"; there are .*dispatch/],
  ])('%s %s is wrong usage, and it says what fits', (script, argument, text) => {
    const { status, stdout, stderr } = run(script, argument)
    expect(status).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(text)
  })

  it.each(['scripts/check.ts', 'scripts/snippets.ts', 'benchmarks/src/main.ts'])(
    '%s --help prints the usage',
    (script) => {
      const { status, stdout, stderr } = run(script, '--help')
      expect(status).toBe(0)
      expect(stdout).toMatch(/^Usage: /)
      expect(stderr).toBe('')
    },
  )
})
