import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

import { requirePath } from '../config/refusal.ts'

/** What is kept of one server's authorization; JSON-safe. */
export interface Credentials {
  readonly tokens?: { readonly [name: string]: unknown }
  readonly client?: { readonly [name: string]: unknown }
}

/** Where credentials live between runs. A key names one server and one client. */
export interface TokenStore {
  read(key: string): Promise<Credentials | undefined>
  write(key: string, credentials: Credentials): Promise<void>
  /** Runs `run` while nobody else holds the key, in this process or, where the store is shared, in another. */
  exclusive<T>(key: string, run: () => Promise<T>): Promise<T>
}

/** A store that ends with the process. */
export function memoryTokenStore(): TokenStore {
  const all = new Map<string, Credentials>()
  const exclusive = createQueue()
  return {
    read: (key) => Promise.resolve(all.get(key)),
    write: (key, credentials) => {
      all.set(key, credentials)
      return Promise.resolve()
    },
    exclusive,
  }
}

const staleMs = 60_000
const pollMs = 50

/**
 * A store of files that only their owner can read, one for each key, in a folder that is made when needed. Processes
 * that share the folder take turns by a lock file; one that is older than a minute is the rest of a crash.
 */
export function fileTokenStore(folder: string): TokenStore {
  requirePath(folder, 'fileTokenStore')
  const queue = createQueue()
  const fileOf = (key: string): string =>
    path.join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`)

  return {
    async read(key) {
      try {
        return JSON.parse(await readFile(fileOf(key), 'utf8')) as Credentials
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    async write(key, credentials) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const temporary = `${fileOf(key)}.${randomUUID()}`
      await writeFile(temporary, JSON.stringify(credentials), { mode: 0o600, flag: 'wx' })
      await rename(temporary, fileOf(key))
    },
    exclusive: (key, run) =>
      queue(key, async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        const lock = `${fileOf(key)}.lock`
        await takeLock(lock)
        // A user may take his time: who holds it says so, so that it is not taken for the rest of a crash.
        const hold = setInterval(() => void touch(lock), staleMs / 3)
        hold.unref()
        try {
          return await run()
        } finally {
          clearInterval(hold)
          await rm(lock, { force: true })
        }
      }),
  }
}

async function touch(lock: string): Promise<void> {
  const now = new Date()
  await utimes(lock, now, now).catch(() => undefined)
}

async function takeLock(lock: string): Promise<void> {
  for (;;) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- taking turns
      await (await open(lock, 'wx', 0o600)).close()
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      // oxlint-disable-next-line no-await-in-loop -- as above
      const age = await stat(lock).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        () => 0,
      )
      // oxlint-disable-next-line no-await-in-loop -- as above
      if (age > staleMs) await rm(lock, { force: true })
      // oxlint-disable-next-line no-await-in-loop -- as above
      else await wait(pollMs)
    }
  }
}

/** One at a time for each key. */
function createQueue(): <T>(key: string, run: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return async (key, run) => {
    const before = last.get(key) ?? Promise.resolve()
    const mine = before.then(run, run)
    last.set(
      key,
      mine.catch(() => undefined),
    )
    return mine
  }
}
