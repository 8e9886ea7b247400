import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'

const pollMs = 50

/**
 * Runs `run` while no other process holds the lock file. One that was not touched for `staleMs` milliseconds, or that
 * stands as far in the future, is the rest of a crash.
 */
export async function withLockFile<T>(
  lock: string,
  staleMs: number,
  run: () => Promise<T>,
): Promise<T> {
  const mine = randomUUID()
  await take(lock, mine, staleMs)
  // It may take long: who holds it says so, so that it is not taken for the rest of a crash.
  const hold = setInterval(() => void touch(lock), staleMs / 3)
  hold.unref()
  try {
    return await run()
  } finally {
    clearInterval(hold)
    // A process that was stopped for long may have lost it to another.
    const holder = await readFile(lock, 'utf8').catch(() => '')
    if (holder === mine) await rm(lock, { force: true })
  }
}

async function take(lock: string, mine: string, staleMs: number): Promise<void> {
  for (;;) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- taking turns
      await writeFile(lock, mine, { mode: 0o600, flag: 'wx' })
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      // oxlint-disable-next-line no-await-in-loop -- as above
      if (await isStale(lock, staleMs)) await clear(lock, staleMs)
      // oxlint-disable-next-line no-await-in-loop -- as above
      else await wait(pollMs)
    }
  }
}

async function isStale(lock: string, staleMs: number): Promise<boolean> {
  const changed = await stat(lock).catch(() => undefined)
  return changed !== undefined && Math.abs(Date.now() - changed.mtimeMs) > staleMs
}

/** Puts a stale lock aside first: another may have done the same since it was looked at, and hold it now. */
async function clear(lock: string, staleMs: number): Promise<void> {
  const aside = `${lock}.${randomUUID()}`
  try {
    await rename(lock, aside)
  } catch {
    return
  }
  if (!(await isStale(aside, staleMs))) await link(aside, lock).catch(() => undefined)
  await rm(aside, { force: true })
}

async function touch(lock: string): Promise<void> {
  const now = new Date()
  await utimes(lock, now, now).catch(() => undefined)
}
