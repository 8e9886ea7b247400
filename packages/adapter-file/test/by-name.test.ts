import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { inWorkspace } from './host.ts'

interface Report {
  readonly outcomes: readonly unknown[]
  readonly ok: boolean
  readonly containment: string
}

/** The outcomes of calls in a process that takes its platform for one without /proc. */
async function elsewhere(
  options: object,
  calls: readonly (readonly [string, object])[],
): Promise<Report> {
  const fixtures = `${import.meta.dirname}/fixtures`
  const child = fork(`${fixtures}/calls.ts`, [JSON.stringify(options), JSON.stringify(calls)], {
    execArgv: ['--conditions=@callgate/source', `--import=${fixtures}/pretend-darwin.ts`],
  })
  const exited = once(child, 'exit')
  try {
    const first = await Promise.race([once(child, 'message'), exited])
    return first[0] as Report
  } finally {
    child.kill()
    await exited
  }
}

describe.skipIf(process.platform !== 'linux')('where the platform has no /proc', () => {
  it('the same calls come out the same, and hostile paths are stopped by names', () =>
    inWorkspace(async ({ root, outside, put, at }) => {
      put('a.txt', 'text')
      writeFileSync(join(outside, 'secret'), 'SECRET')
      symlinkSync(outside, at('link'))
      const report = await elsewhere({ roots: { work: { path: root, write: true } } }, [
        ['read', { path: 'a.txt' }],
        ['write', { path: 'sub/b.txt', content: 'new' }],
        ['move', { from: 'sub/b.txt', to: 'c.txt' }],
        ['read', { path: 'link/secret' }],
        ['write', { path: 'link/new', content: 'x' }],
        ['list', { path: '.' }],
        ['delete', { path: 'sub', recursive: true }],
      ])
      expect(report).toMatchObject({
        ok: true,
        containment: 'name',
        outcomes: [
          { text: 'text' },
          { created: true },
          { to: 'c.txt' },
          'symlink',
          'symlink',
          { truncated: false },
          { path: 'sub' },
        ],
      })
      expect(readFileSync(at('c.txt'), 'utf8')).toBe('new')
    }))
})
