import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'

import { describe, expect, it, vi } from 'vitest'

import { fileAdapter, type ListResult } from '../src/index.ts'
import { withFixture } from './child.ts'
import { errorOf, inWorkspace, started, type Workspace } from './host.ts'

const patience = { timeout: 10_000, interval: 1 }
const edits = process.env['CI'] ? 2000 : 300
const path = 'sub/target.txt'
const fixtures = `--import=${import.meta.dirname}/fixtures`
const stopAtRename = `${fixtures}/stop-at-rename.ts`
// Two users of whom nothing is known: numbers are enough.
const [writer, other] = [61_002, 61_001]

describe('two processes', () => {
  it(
    `lose none of ${2 * edits} edits of one file`,
    () =>
      inWorkspace(async ({ root, put, at }) => {
        put('file', 'end')
        const added = (own: string): Promise<void> =>
          withFixture('edit-again.ts', [root, own, String(edits)], ended)
        await Promise.all([added('a'), added('b')])
        const lines = readFileSync(at('file'), 'utf8').split('\n')
        const own = (letter: string): readonly string[] =>
          lines.filter((line) => line.startsWith(letter))
        expect([own('a').length, own('b').length]).toEqual([edits, edits])
        expect(readdirSync(root)).toEqual(['file'])
      }),
    300_000,
  )
})

describe.skipIf(process.platform === 'win32')(
  'a process that ends or stops while it replaces a file',
  () => {
    it('blocks nobody when it was killed, and the next change takes away its lock', () =>
      inWorkspace(async (workspace) => {
        await whileReplacing(workspace, 'SIGKILL', async (child) => {
          await ended(child)
          expect(locks(workspace)).toHaveLength(1)
          await workspace.call('write', { path, content: 'mine' })
        })
        expect(readFileSync(workspace.at(path), 'utf8')).toBe('mine')
        expect(locks(workspace)).toEqual([])
      }))

    it('blocks others for a moment when it was stopped', () =>
      inWorkspace(async (workspace) => {
        await whileReplacing(workspace, 'SIGSTOP', async () => {
          await vi.waitUntil(() => locks(workspace).length > 0, patience)
          await workspace.call('write', { path, content: 'mine' })
        })
        expect(readFileSync(workspace.at(path), 'utf8')).toBe('mine')
        expect(locks(workspace)).toEqual([])
      }))

    it('leaves a lock that another took over meanwhile', () =>
      inWorkspace(async (workspace) => {
        const another = '.callgate-00000000-1-0123456789abcdef.tmp'
        await whileReplacing(workspace, 'SIGSTOP', async (child) => {
          await vi.waitUntil(() => locks(workspace).length > 0, patience)
          const lock = lockPath(workspace)
          unlinkSync(lock)
          symlinkSync(another, lock)
          child.kill('SIGCONT')
          await ended(child)
        })
        expect(readFileSync(workspace.at(path), 'utf8')).toBe('b'.repeat(10))
        expect(readlinkSync(lockPath(workspace))).toBe(another)
      }))

    it('is waited for no longer than the caller wants', () =>
      inWorkspace(async (workspace) => {
        await whileReplacing(workspace, 'SIGSTOP', async () => {
          await vi.waitUntil(() => locks(workspace).length > 0, patience)
          const stop = new AbortController()
          const waiting = workspace.call(
            'write',
            { path, content: 'mine' },
            { signal: stop.signal },
          )
          // Its own beside that of the other.
          await vi.waitUntil(() => temps(workspace).length === 2, patience)
          stop.abort()
          expect(await errorOf(waiting)).toMatchObject({ code: 'cancelled', started: 'no' })
          expect(temps(workspace)).toHaveLength(1)
        })
      }))
  },
)

describe.skipIf(process.platform !== 'linux')('a lock that a killed process left', () => {
  it('is taken over by one of two that find it at the same time', () =>
    inWorkspace(async (workspace) => {
      await whileReplacing(workspace, 'SIGKILL', ended)
      workspace.put(path, 'end')
      // With it the start of the next would take away the lock, too.
      for (const name of temps(workspace)) unlinkSync(join(workspace.at('sub'), name))
      await whileEditing(workspace, 'a', 'stop-before-taking-over.ts', async (first) => {
        await stopped(first)
        await whileEditing(workspace, 'b', 'stop-before-replacing.ts', async (second) => {
          await stopped(second)
          first.kill('SIGCONT')
          await Promise.race([once(first, 'message'), ended(first)])
          second.kill('SIGCONT')
          await Promise.all([ended(first), ended(second)])
        })
      })
      expect(readFileSync(workspace.at(path), 'utf8').split('\n').toSorted()).toEqual([
        'a0',
        'b0',
        'end',
      ])
      expect(locks(workspace)).toEqual([])
    }))
})

it.skipIf(process.platform === 'win32')(
  'a file is moved away before or after another process changes it, not meanwhile',
  () =>
    inWorkspace(async (workspace) => {
      const { at, call } = workspace
      await whileReplacing(workspace, 'SIGSTOP', async (child) => {
        await vi.waitUntil(() => locks(workspace).length > 0, patience)
        const moved = call('move', { from: path, to: 'moved.txt' })
        // A move that waits for nobody is done before this.
        await setImmediate()
        child.kill('SIGCONT')
        await Promise.all([moved, ended(child)])
      })
      expect(readFileSync(at('moved.txt'), 'utf8')).toBe('b'.repeat(10))
      expect(readdirSync(at('sub'))).toEqual([])
    }),
)

it.skipIf(process.platform === 'win32')(
  'what has the name of a lock and is none stays, and blocks nobody',
  () =>
    inWorkspace(async (workspace) => {
      await whileReplacing(workspace, 'SIGKILL', ended)
      const lock = lockPath(workspace)
      unlinkSync(lock)
      mkdirSync(lock)
      await workspace.call('write', { path, content: 'mine' })
      expect(readFileSync(workspace.at(path), 'utf8')).toBe('mine')
      expect(lockPath(workspace)).toBe(lock)
    }),
)

describe.skipIf(process.platform === 'win32')('what a killed process left', () => {
  it('goes with the next start', () =>
    inWorkspace(async (workspace) => {
      await whileReplacing(workspace, 'SIGKILL', ended)
      expect([locks(workspace).length, temps(workspace).length]).toEqual([1, 1])
      await startAnother(workspace)
      expect(readdirSync(workspace.at('sub'))).toEqual(['target.txt'])
    }))

  it('is not shown where it is a lock, and that goes with the file', () =>
    inWorkspace(async (workspace) => {
      await whileReplacing(workspace, 'SIGKILL', ended)
      const { entries } = await workspace.data<ListResult>('list', { path: 'sub' })
      const shown = entries.map((entry) => entry.path)
      expect(shown).toEqual([`sub/${temps(workspace)[0]}`, path])
      await workspace.call('delete', { path })
      expect(readdirSync(workspace.at('sub'))).toEqual(temps(workspace))
    }))

  it('does not keep a folder from being deleted', () =>
    inWorkspace(async (workspace) => {
      await whileReplacing(workspace, 'SIGKILL', ended)
      unlinkSync(workspace.at(path))
      await workspace.call('delete', { path: 'sub' })
      expect(readdirSync(workspace.root)).toEqual([])
    }))
})

it.skipIf(process.platform === 'win32')(
  'a folder in which another process writes is not empty',
  () =>
    inWorkspace(async (workspace) => {
      await whileReplacing(workspace, 'SIGSTOP', async () => {
        await vi.waitUntil(() => locks(workspace).length > 0, patience)
        unlinkSync(workspace.at(path))
        expect(await workspace.error('delete', { path: 'sub' })).toMatchObject({
          rule: 'not-empty',
        })
        expect([locks(workspace).length, temps(workspace).length]).toEqual([1, 1])
      })
    }),
)

describe.skipIf(process.platform !== 'linux')('the start', () => {
  it('takes away what a process left that nobody has waited for since it was killed', () =>
    inWorkspace(async (workspace) => {
      await withUnreaped(killedAtRename(workspace), async () => {
        expect(temps(workspace)).toHaveLength(1)
        await startAnother(workspace)
        expect(temps(workspace)).toEqual([])
      })
    }))

  it('leaves what another machine of the same name is writing', () =>
    inWorkspace(async (workspace) => {
      const elsewhere = `${fixtures}/pretend-other-boot.ts`
      await whileReplacing(workspace, 'SIGKILL', ended, [elsewhere])
      const before = temps(workspace)
      expect(before).toHaveLength(1)
      await startAnother(workspace)
      expect(temps(workspace)).toEqual(before)
    }))
})

it.skipIf(!canStartAs(writer))(
  'a lock that may not be taken away, as in a folder for everybody, blocks nobody',
  () =>
    inWorkspace(async (workspace) => {
      await whileReplacing(workspace, 'SIGKILL', ended)
      const { root, at } = workspace
      for (const each of [join(root, '..'), root]) chmodSync(each, 0o755)
      chmodSync(at('sub'), 0o1777)
      chownSync(at(path), writer, writer)
      lchownSync(lockPath(workspace), other, other)
      const options = { uid: writer, gid: writer, timeout: 10_000 }
      await withFixture('write-again.ts', [root, '20', '', '1'], ended, options)
      expect(readFileSync(at(path), 'utf8')).toBe('a'.repeat(20))
      expect(locks(workspace)).toHaveLength(1)
    }),
  20_000,
)

/** Another process has written the file, and gets the signal in the moment in which it would replace it. */
function whileReplacing(
  { root }: Workspace,
  signal: 'SIGKILL' | 'SIGSTOP',
  work: (child: ChildProcess) => Promise<void>,
  execArgv: readonly string[] = [],
): Promise<void> {
  return withFixture('write-again.ts', [root, '10', signal, '2'], work, {
    execArgv: [...execArgv, stopAtRename],
  })
}

/** Another process adds a line to the file, with something that runs before. */
function whileEditing(
  { root }: Workspace,
  own: string,
  before: string,
  work: (child: ChildProcess) => Promise<void>,
): Promise<void> {
  const execArgv = [`${fixtures}/${before}`]
  return withFixture('edit-again.ts', [root, own, '1', path], work, { execArgv })
}

async function stopped({ pid }: ChildProcess): Promise<void> {
  await vi.waitUntil(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') T '), patience)
}

function killedAtRename({ root }: Workspace): readonly string[] {
  const program = `${import.meta.dirname}/fixtures/write-again.ts`
  return ['--conditions=@callgate/source', stopAtRename, program, root, '10', 'SIGKILL']
}

/** A process ends by itself, and its parent does not ask for its status, while work is done. */
async function withUnreaped(args: readonly string[], work: () => Promise<void>): Promise<void> {
  const script = '"$@" & echo $!; exec sleep 60'
  const parent = spawn('sh', ['-c', script, 'sh', process.execPath, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [pid] = (await once(parent.stdout, 'data')) as [Buffer]
    const state = `/proc/${String(pid).trim()}/stat`
    await vi.waitUntil(() => readFileSync(state, 'utf8').includes(') Z '), patience)
    await work()
  } finally {
    parent.kill()
    await ended(parent)
  }
}

async function startAnother({ root }: Workspace): Promise<void> {
  const next = await started(fileAdapter({ roots: { workspace: { path: root, write: true } } }))
  await next.stop?.({ graceMs: 100 })
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

/** Only root may, and the other must be able to read this checkout. */
function canStartAs(uid: number): boolean {
  if (process.getuid?.() !== 0) return false
  const look = `require('node:fs').accessSync(${JSON.stringify(import.meta.filename)})`
  return spawnSync(process.execPath, ['-e', look], { uid, gid: uid }).status === 0
}

function lockPath(workspace: Workspace): string {
  return join(workspace.at('sub'), locks(workspace)[0] ?? '')
}

function locks({ at }: Workspace): readonly string[] {
  return readdirSync(at('sub')).filter((name) => name.startsWith('.callgate-lock-'))
}

/** New files that have not got their name yet. */
function temps({ at }: Workspace): readonly string[] {
  return readdirSync(at('sub')).filter((name) => /^\.callgate-(?!lock-)/.test(name))
}
