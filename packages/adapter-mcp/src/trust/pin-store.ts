import { requirePath } from '../config/refusal.ts'
import { jsonFileStore } from '../json-file-store.ts'
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
  requirePath(file, 'filePinStore')
  return jsonFileStore<ApprovedTools>(file)
}
