import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'

import { withLockFile } from './lock-file.ts'

/** Much longer than a file takes to be written. */
const staleMs = 10_000

/** Values by key. */
export interface KeyedStore<T> {
  read(key: string): Promise<T | undefined>
  write(key: string, value: T): Promise<void>
}

/**
 * A store of JSON values in one file, which only its owner can read; written whole and at once. Processes that share it
 * take turns by a lock file beside it.
 */
export function jsonFileStore<T>(file: string): KeyedStore<T> {
  const load = async (): Promise<Record<string, T>> => {
    try {
      return JSON.parse(await readFile(file, 'utf8')) as Record<string, T>
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
      throw error
    }
  }
  let last: Promise<void> = Promise.resolve()
  return {
    read: async (key) => (await load())[key],
    write: (key, value) => {
      const add = async (): Promise<void> => {
        const all = { ...(await load()), [key]: value }
        const temporary = `${file}.${randomUUID()}`
        await writeFile(temporary, JSON.stringify(all, undefined, 1), { mode: 0o600, flag: 'wx' })
        await rename(temporary, file)
      }
      const write = async (): Promise<void> => {
        await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
        await withLockFile(`${file}.lock`, staleMs, add)
      }
      last = last.then(write, write)
      return last
    },
  }
}
