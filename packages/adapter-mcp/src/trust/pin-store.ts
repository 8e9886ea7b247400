import { requirePath } from '../config/refusal.ts'
import { jsonFileStore, type Update } from '../json-file-store.ts'
import type { JsonRecord } from '../record.ts'

/** The tools of one server as they were approved: by name, what they were. */
export type ApprovedTools = Readonly<Record<string, JsonRecord>>

/** Where approved tools are kept, by the identity of their server. */
export interface PinStore {
  read(identity: string): Promise<ApprovedTools | undefined>
  write(identity: string, tools: ApprovedTools): Promise<void>
}

/** Of the stores that can read and write in one step. */
const updates = new WeakMap<PinStore, Update<ApprovedTools>>()

/** A store in one JSON file, which only its owner can read; written whole and at once. Processes may share it. */
export function filePinStore(file: string): PinStore {
  requirePath(file, 'filePinStore')
  const { read, write, update } = jsonFileStore<ApprovedTools>(file)
  const store = { read, write }
  updates.set(store, update)
  return store
}

/**
 * Puts what `change` makes of the approved tools of a server in their place, and gives it back. With a store in a file
 * nothing is lost that another process approves meanwhile; one of somebody else can only be read, then written.
 */
export async function changePins(
  store: PinStore,
  identity: string,
  change: (approved: ApprovedTools | undefined) => ApprovedTools,
): Promise<ApprovedTools> {
  const update = updates.get(store)
  if (update !== undefined) return update(identity, change)
  const changed = change(await store.read(identity))
  await store.write(identity, changed)
  return changed
}
