import { rmdirSync, unlinkSync } from 'node:fs'

import { checkTree, emptyFolder, type TreeOptions } from '../folder/tree.ts'
import { openChild } from '../guard/locate.ts'
import { openSpot, type Spot } from '../guard/parent.ts'
import { fail, refuse } from '../guard/refuse.ts'
import { systemError } from '../guard/system-error.ts'
import { parsePath } from '../path/parse-path.ts'
import { lockKey } from '../write/change-file.ts'
import { withFileLock } from '../write/file-lock.ts'
import { removeLeftOvers } from '../write/left-over.ts'
import { inTurn, inTurnOrStop } from '../write/locks.ts'
import { syncFolder } from '../write/replace-file.ts'
import { output, type Operation, type OperationCall } from './operation.ts'
import { pathSchema } from './schemas.ts'

export const remove: Operation = {
  name: 'delete',
  description:
    'Deletes a file, a link (not what it leads to), or an empty folder; with recursive a folder and all that it holds.',
  properties: {
    path: pathSchema,
    recursive: {
      type: 'boolean',
      description: 'Also delete what is in the folder. Default: false.',
    },
  },
  required: ['path'],
  effects: { destructive: true },
  paths: { path: 'write' },
  async run(call) {
    const { root, args } = call
    const path = parsePath(args['path'], 'path')
    const spot = openSpot({ root, path, parameter: 'path', linkItself: true })
    try {
      await inTurnOrStop(call.context.signal, (begin) =>
        inTurn(lockKey(spot), () => begin(() => removeAt(spot, call))),
      )
      await syncFolder(spot.folder)
    } finally {
      spot.folder.close()
    }
    return output({ path: path.text }, `[deleted ${path.text}]`)
  },
}

async function removeAt(spot: Spot, call: OperationCall): Promise<void> {
  const { signal } = call.context
  const found = spot.look()
  if (found === undefined) fail('not-found', 'path', 'There is no such file or folder.')
  const isFolder = found.isDirectory()
  if (isFolder && call.args['recursive'] === true) return removeTree(spot, call)
  if (!isFolder && !found.isFile() && !found.isSymbolicLink()) {
    refuse('special-file', 'path', '"path" is a pipe, socket or device.')
  }
  const place = spot.folder.child(spot.name)
  try {
    if (!isFolder) return await withFileLock(spot, signal, () => unlinkSync(place))
    // What killed processes left in it is nothing.
    await removeLeftOvers(call.root, spot.parts, signal)
    rmdirSync(place)
  } catch (error) {
    throw systemError(error, 'path', 'no')
  }
}

async function removeTree(spot: Spot, { root, context, shared }: OperationCall): Promise<void> {
  const options: TreeOptions = {
    root,
    parameter: 'path',
    maxEntries: shared.limits.treeEntries,
    signal: context.signal,
  }
  const folder = openChild(spot.folder, spot.name, 'path')
  try {
    // First the whole look, so that a refusal leaves everything as it is.
    await checkTree(folder, spot.parts, spot.parts, options)
    await emptyFolder(folder, options.parameter)
  } finally {
    folder.close()
  }
  rmdirSync(spot.folder.child(spot.name))
}
