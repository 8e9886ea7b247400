import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { fileAdapter, type EditResult, type ReadResult } from '@callgate/adapter-file'
import { createGateway } from '@callgate/core'

const path = await mkdtemp(join(tmpdir(), 'workspace-'))
await writeFile(join(path, 'config.ini'), 'host = old\r\nport = 80\r\n')
const gateway = createGateway({
  adapters: [fileAdapter({ roots: { app: { path, write: true } } })],
})
await gateway.start()

const read = await gateway.dispatch({ name: 'file::read', arguments: { path: 'config.ini' } })
const { hash } = read.data as ReadResult
const edit = (edits: readonly object[]) =>
  gateway.dispatch({ name: 'file::edit', arguments: { path: 'config.ini', hash, edits } })

const done = await edit([
  { old: 'old', new: 'new' },
  { old: 'port = 80', new: 'port = 8080' },
])
console.log((done.data as EditResult).lines)

// The same hash once more: somebody (here: the first edit) changed the file since it was read.
const late = await edit([{ old: 'new', new: 'newest' }])
console.log(late.error?.rule)

await gateway.close()
await rm(path, { recursive: true })
