import type { Stats } from 'node:fs'

import { checkTree } from '../folder/tree.ts'
import { checkNoLink, openChild } from '../guard/locate.ts'
import { openSpot, type Spot } from '../guard/parent.ts'
import { fail, refuse } from '../guard/refuse.ts'
import { checkReplaceable } from '../guard/regular-file.ts'
import { systemError } from '../guard/system-error.ts'
import { parsePath } from '../path/parse-path.ts'
import { lockKey } from '../write/change-file.ts'
import { withFileLocks } from '../write/file-lock.ts'
import { inTurn, inTurnOrStop } from '../write/locks.ts'
import { putAt, syncFolder } from '../write/replace-file.ts'
import { output, type Operation, type OperationCall } from './operation.ts'
import { overwriteSchema, pathSchema } from './schemas.ts'

export const move: Operation = {
  name: 'move',
  description:
    'Moves or renames a file or folder within the root, and makes the folders it needs. What is at the new place is not replaced unless overwrite is given, and a folder never.',
  properties: { from: pathSchema, to: pathSchema, overwrite: overwriteSchema },
  required: ['from', 'to'],
  effects: { destructive: true },
  riskLevel: 'low',
  paths: { from: 'write', to: 'write' },
  async run(call) {
    const { root, args } = call
    const [from, to] = [parsePath(args['from'], 'from'), parsePath(args['to'], 'to')]
    const source = openSpot({ root, path: from, parameter: 'from', linkItself: true })
    try {
      // Before folders are made for what is not there, or in what is moved.
      checkSource(source)
      checkNotBelow(to.parts, from.parts)
      const target = openSpot({ root, path: to, parameter: 'to', create: true })
      try {
        await inTurnOrStop(call.context.signal, (begin) =>
          bothInTurn(source, target, () => begin(() => moveTo(source, target, call))),
        )
      } finally {
        target.folder.close()
      }
    } finally {
      source.folder.close()
    }
    return output({ from: from.text, to: to.text }, `[moved ${from.text} to ${to.text}]`)
  },
}

function checkSource(source: Spot): Stats {
  const found = source.look()
  if (found === undefined) return fail('not-found', 'from', 'There is no such file or folder.')
  checkNoLink(found, 'from')
  if (!found.isFile() && !found.isDirectory()) {
    refuse('special-file', 'from', '"from" is a pipe, socket or device.')
  }
  return found
}

function checkNotBelow(to: readonly string[], from: readonly string[]): void {
  if (to.length <= from.length || from.some((name, index) => name !== to[index])) return
  fail('not-possible', 'to', 'Nothing can be moved to a place within itself.')
}

async function moveTo(source: Spot, target: Spot, call: OperationCall): Promise<void> {
  const isFile = checkSource(source).isFile()
  const mayReplace = call.args['overwrite'] === true && isFile
  checkFree(target, mayReplace)
  await checkFolder(source, target, call)
  try {
    const [from, to] = [source.folder.child(source.name), target.folder.child(target.name)]
    const put = (): void => {
      // The tree was looked through for a while: what came to be there meanwhile is not replaced.
      checkFree(target, mayReplace)
      if (checkSource(source).isFile() !== isFile) {
        // A folder that came in its place was not looked through.
        fail('conflict', 'from', 'It was exchanged meanwhile.')
      }
      putAt(from, to, mayReplace || !isFile)
    }
    // What replaces nothing takes nothing from others.
    const taken = [...(isFile ? [source] : []), ...(mayReplace ? [target] : [])]
    await withFileLocks(taken, call.context.signal, put)
  } catch (error) {
    throw systemError(error, 'to', 'no')
  }
  await Promise.all([syncFolder(source.folder), syncFolder(target.folder)])
}

/** A denied file must not be carried to a place where no pattern knows it. */
async function checkFolder(
  source: Spot,
  target: Spot,
  { root, context, shared }: OperationCall,
): Promise<void> {
  if (!checkSource(source).isDirectory()) return
  const folder = openChild(source.folder, source.name, 'from')
  try {
    const { signal } = context
    const options = { root, parameter: 'from', maxEntries: shared.limits.treeEntries, signal }
    await checkTree(folder, source.parts, target.parts, options)
    const { dev, ino } = checkSource(source)
    if (dev === folder.stat.dev && ino === folder.stat.ino) return
    fail('conflict', 'from', 'It was exchanged meanwhile.')
  } finally {
    folder.close()
  }
}

/** Whether something may be put at a spot. */
export function checkFree(target: Spot, mayReplace: boolean): Stats | undefined {
  const present = target.look()
  if (present === undefined) return undefined
  checkNoLink(present, 'to')
  if (present.isDirectory() || !mayReplace) {
    fail('exists', 'to', 'There is something at the new place already.')
  }
  checkReplaceable(present, 'to')
  return present
}

/** Always in the same order, so that two moves never wait for each other. */
async function bothInTurn(one: Spot, other: Spot, work: () => Promise<void>): Promise<void> {
  const [first = '', second = ''] = [lockKey(one), lockKey(other)].toSorted()
  await inTurn(first, () => (first === second ? work() : inTurn(second, work)))
}
