import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'

import type { JsonRecord } from '../record.ts'

/** The tools of one server as they were approved: by name, what they were. */
export type ApprovedTools = Readonly<Record<string, JsonRecord>>

/** Where approved tools are kept, by the identity of their server. */
export interface PinStore {
  read(identity: string): Promise<ApprovedTools | undefined>
  write(identity: string, tools: ApprovedTools): Promise<void>
}

/** A store in one JSON file, which only its owner can read; written whole and at once. */
export function filePinStore(file: string): PinStore {
  const load = async (): Promise<Record<string, ApprovedTools>> => {
    try {
      return JSON.parse(await readFile(file, 'utf8')) as Record<string, ApprovedTools>
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
      throw error
    }
  }
  let last: Promise<void> = Promise.resolve()
  return {
    read: async (identity) => (await load())[identity],
    write: (identity, tools) => {
      const write = async (): Promise<void> => {
        const all = { ...(await load()), [identity]: tools }
        await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
        const temporary = `${file}.${randomUUID()}`
        await writeFile(temporary, JSON.stringify(all, undefined, 1), { mode: 0o600, flag: 'wx' })
        await rename(temporary, file)
      }
      last = last.then(write, write)
      return last
    },
  }
}
