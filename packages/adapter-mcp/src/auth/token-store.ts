import { createHash } from 'node:crypto'
import path from 'node:path'

import { requirePath } from '../config/refusal.ts'
import { readJsonFile, writeJsonFile } from '../json-file-store.ts'
import { withLockFile } from '../lock-file.ts'
import { createQueue } from '../queue.ts'

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

/**
 * A store of files that only their owner can read, one for each key, in a folder that is made when needed. Processes
 * that share the folder take turns by a lock file; one of a process that is no more, or, where that cannot be known, older
 * than a minute, is the rest of a crash.
 */
export function fileTokenStore(folder: string): TokenStore {
  requirePath(folder, 'fileTokenStore')
  const queue = createQueue()
  const fileOf = (key: string): string =>
    path.join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`)

  return {
    read: (key) => readJsonFile<Credentials>(fileOf(key)),
    write: (key, credentials) => writeJsonFile(fileOf(key), credentials),
    exclusive: (key, run) => queue(key, () => withLockFile(`${fileOf(key)}.lock`, staleMs, run)),
  }
}
