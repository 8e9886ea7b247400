import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import type { ReadResult } from '../src/index.ts'
import { withFixture } from './child.ts'
import { inWorkspace } from './host.ts'

const count = process.env['CI'] ? 1500 : 150

interface Report {
  readonly outcomes: readonly unknown[]
  readonly ok: boolean
  readonly containment: string
}

/** The outcomes of calls, made so many times, in a process that takes its platform for one without /proc. */
async function elsewhere(
  options: object,
  calls: readonly (readonly [string, object])[],
  rounds = 1,
): Promise<Report> {
  const fixtures = `${import.meta.dirname}/fixtures`
  const given = [JSON.stringify(options), JSON.stringify(calls), String(rounds)]
  const child = fork(`${fixtures}/calls.ts`, given, {
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

  it(
    'a file that is replaced by renaming is found each time',
    () =>
      inWorkspace(async ({ root, put, at, data }) => {
        put('d/file', 'inside')
        const { hash } = await data<ReadResult>('read', { path: 'd/file' })
        const calls = [
          ['read', { path: 'd/file' }],
          ['stat', { path: 'd/file' }],
          ['copy', { from: 'd/file', to: 'copy', overwrite: true }],
          ['edit', { path: 'd/file', hash, edits: [{ old: 'inside', new: 'inside' }] }],
          ['write', { path: 'd/file', hash, content: 'inside' }],
        ] as const
        const { outcomes } = await withFixture('replace-file.ts', [at('d')], () =>
          elsewhere({ roots: { work: { path: root, write: true } } }, calls, count),
        )
        expect(outcomes).toHaveLength(count * calls.length)
        expect(outcomes.filter((outcome) => typeof outcome === 'string')).toEqual([])
      }),
    120_000,
  )
})
