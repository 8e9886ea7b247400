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

/** Puts what `change` makes of the value of a key in its place, and gives it back; nothing is written in between. */
export type Update<T> = (key: string, change: (value: T | undefined) => T) => Promise<T>

/**
 * A store of JSON values in one file, which only its owner can read; written whole and at once. Processes that share it
 * take turns by a lock file beside it.
 */
export function jsonFileStore<T>(file: string): KeyedStore<T> & { readonly update: Update<T> } {
  const load = async (): Promise<Record<string, T>> =>
    (await readJsonFile<Record<string, T>>(file)) ?? {}
  let last: Promise<unknown> = Promise.resolve()
  const update: Update<T> = (key, change) => {
    const apply = async (): Promise<T> => {
      const all = await load()
      const value = change(all[key])
      await writeJsonFile(file, { ...all, [key]: value })
      return value
    }
    const run = (): Promise<T> => withLockFile(`${file}.lock`, staleMs, apply)
    const mine = last.then(run, run)
    last = mine
    return mine
  }
  return {
    read: async (key) => (await load())[key],
    write: async (key, value) => void (await update(key, () => value)),
    update,
  }
}

/** Writes a JSON file whole and at once, which only its owner can read; its folder is made when needed. */
export async function writeJsonFile(file: string, value: unknown): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${randomUUID()}`
  await writeFile(temporary, JSON.stringify(value, undefined, 1), { mode: 0o600, flag: 'wx' })
  await rename(temporary, file)
}

/**
 * What a JSON file holds; undefined where there is none.
 *
 * @throws Error naming the file, and nothing of what it holds, where it is no JSON.
 */
export async function readJsonFile<T>(file: string): Promise<T | undefined> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    return JSON.parse(text) as T
  } catch {
    // The words of the parser repeat a part of the text, and where the file is is nobody else's matter.
    throw new Error(`${path.basename(file)} is not JSON; correct it or remove it`)
  }
}
