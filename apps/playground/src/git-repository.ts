import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { CallgateError } from '@callgate/spec'

const run = promisify(execFile)

export interface GitRepository {
  readonly folder: string
  remove(): Promise<void>
}

const commits = [
  { file: 'README.md', content: '# Demo\n', message: 'Begin' },
  { file: 'notes.md', content: 'One note.\n', message: 'Add notes' },
  { file: 'README.md', content: '# Demo\n\nA small repository.\n', message: 'Say what this is' },
]

/**
 * Makes a small git repository with three commits in a temporary folder.
 *
 * @throws CallgateError `backend_unavailable` when there is no git.
 */
export async function makeGitRepository(): Promise<GitRepository> {
  const folder = await mkdtemp(join(tmpdir(), 'callgate-demo-'))
  const git = (...args: string[]): Promise<unknown> =>
    run('git', ['-C', folder, ...args], { env: environment() })
  try {
    await git('init', '--quiet', '--initial-branch=main')
    for (const { file, content, message } of commits) {
      await writeFile(join(folder, file), content)
      await git('add', '--', file)
      await git('commit', '--quiet', '--no-gpg-sign', '-m', message)
    }
  } catch (cause) {
    await rm(folder, { recursive: true, force: true })
    throw unusable(cause)
  }
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** The same commits on every machine: nobody's own git settings, names or clock. */
function environment(): NodeJS.ProcessEnv {
  const who = { NAME: 'Callgate', EMAIL: 'demo@example.com', DATE: '2026-01-01T00:00:00Z' }
  const names = Object.entries(who).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ])
  return {
    PATH: process.env['PATH'],
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    ...Object.fromEntries(names),
  }
}

function unusable(cause: unknown): CallgateError {
  const missing = (cause as { code?: unknown }).code === 'ENOENT'
  return new CallgateError({
    code: 'backend_unavailable',
    rule: 'git',
    where: 'git',
    message: missing ? 'git is not installed, or not in PATH.' : `git failed: ${firstLine(cause)}.`,
    hint: 'Install git 2.28 or newer; the demo makes a small repository with it.',
    cause,
  })
}

function firstLine(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause)
  return text.trim().split('\n').at(-1) ?? ''
}
