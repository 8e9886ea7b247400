import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as wait } from 'node:timers/promises'

const pollMs = 50

/**
 * Runs `run` while no other process holds the lock file, whose folder is made when needed. A lock of a process of this
 * machine that is no more, one that was not touched for `staleMs` milliseconds, or one that stands as far in the future,
 * is the rest of a crash.
 */
export async function withLockFile<T>(
  lock: string,
  staleMs: number,
  run: () => Promise<T>,
): Promise<T> {
  await mkdir(path.dirname(lock), { recursive: true, mode: 0o700 })
  const here = await whereIds()
  const mine = `${here}${process.pid} ${randomUUID()}`
  const isLeft = async (): Promise<boolean> =>
    (await isOfDead(await textOf(lock), here)) || isStale(lock, staleMs)
  while (!(await create(lock, mine))) {
    // oxlint-disable-next-line no-await-in-loop -- taking turns
    if (await isLeft()) await clear(lock, staleMs, isLeft)
    // oxlint-disable-next-line no-await-in-loop -- as above
    await wait(pollMs)
  }
  // It may take long: who holds it says so, so that it is not taken for the rest of a crash.
  const hold = setInterval(() => void touch(lock), staleMs / 3)
  hold.unref()
  try {
    return await run()
  } finally {
    clearInterval(hold)
    // A process that was stopped for long may have lost it to another.
    if ((await textOf(lock)) === mine) await rm(lock, { force: true })
  }
}

/** The machine since its start, and in it the space of process numbers, for a container has its own. */
async function whereIds(): Promise<string> {
  const boot = await textOf('/proc/sys/kernel/random/boot_id')
  const space = await stat('/proc/self/ns/pid').catch(() => undefined)
  return `${hostname()} ${boot.trim()} ${space?.ino} `
}

/** Whether it could be made: one of this name may be there. */
async function create(file: string, text = ''): Promise<boolean> {
  try {
    await writeFile(file, text, { mode: 0o600, flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}

/** Whether the lock of this text is of a process that surely is no more. */
async function isOfDead(text: string, here: string): Promise<boolean> {
  const pid = text.startsWith(here) ? / (\d+) \S+$/.exec(text)?.[1] : undefined
  if (pid === undefined) return false
  try {
    process.kill(Number(pid), 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
  // One that ended can be signalled until its parent asks after it (proc_pid_stat(5)); the name before may hold anything.
  return /\) [ZX] [^)]*$/.test(await textOf(`/proc/${pid}/stat`))
}

async function isStale(file: string, staleMs: number): Promise<boolean> {
  const changed = await stat(file).catch(() => undefined)
  return changed !== undefined && Math.abs(Date.now() - changed.mtimeMs) > staleMs
}

/** Removes the rest of a crash: one alone at a time, who looks once more, for another may hold the lock by now. */
async function clear(lock: string, staleMs: number, isLeft: () => Promise<boolean>): Promise<void> {
  const clearing = `${lock}.clear`
  const mine = await create(clearing)
  if (mine && (await isLeft())) await rm(lock, { force: true })
  if (mine || (await isStale(clearing, staleMs))) await rm(clearing, { force: true })
}

async function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '')
}

async function touch(lock: string): Promise<void> {
  const now = new Date()
  await utimes(lock, now, now).catch(() => undefined)
}
