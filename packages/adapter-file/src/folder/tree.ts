import { lstatSync, rmdirSync, unlinkSync } from 'node:fs'

import { ToolError } from '@callgate/spec'

import type { Entry } from '../guard/entry.ts'
import { openChild } from '../guard/locate.ts'
import { fail, refuse } from '../guard/refuse.ts'
import { systemError } from '../guard/system-error.ts'
import type { Root } from '../roots/root.ts'
import { namesIn } from './names.ts'

export interface TreeOptions {
  readonly root: Root
  readonly parameter: string
  readonly maxEntries: number
  readonly signal: AbortSignal
}

/**
 * Looks through a folder before it is moved or deleted with all that it holds.
 *
 * Takes the folder, its names below the root, and the names that it will have, the same for a deletion.
 *
 * @throws ToolError `guard_refused` deny-glob when something in it is denied, at one place or the other;
 * `tool_failed` too-many-entries.
 */
export async function checkTree(
  folder: Entry,
  from: readonly string[],
  to: readonly string[],
  options: TreeOptions,
): Promise<void> {
  let count = 0
  const check = async (current: Entry, below: readonly string[]): Promise<void> => {
    const { names } = await namesIn(current, options.maxEntries + 1, options.signal)
    count += names.length
    if (count > options.maxEntries) {
      const message = `The folder holds more than ${options.maxEntries} entries.`
      fail('too-many-entries', options.parameter, message)
    }
    for (const name of names) {
      const parts = [...below, name]
      if ([from, to].some((base) => options.root.isDenied([...base, ...parts]))) {
        refuse('deny-glob', options.parameter, 'The folder holds something that is denied.')
      }
      // oxlint-disable-next-line no-await-in-loop -- one descriptor for each level
      await inFolder(current, name, options.parameter, (child) => check(child, parts))
    }
  }
  try {
    await check(folder, [])
  } catch (error) {
    throw systemError(error, options.parameter, 'no')
  }
}

/**
 * Deletes what is in a folder, and below it; links are deleted, not followed. Once begun it is not stopped.
 *
 * @throws ToolError whose effect may have begun.
 */
export async function emptyFolder(folder: Entry, parameter: string): Promise<void> {
  try {
    await deleteNames(folder, parameter)
  } catch (error) {
    if (!ToolError.isInstance(error)) throw systemError(error, parameter, 'unknown')
    const { code, message, rule = 'exchanged' } = error
    throw new ToolError({ code, message, rule, parameter, started: 'unknown', cause: error })
  }
}

async function deleteNames(folder: Entry, parameter: string): Promise<void> {
  const { names } = await namesIn(folder, Infinity)
  for (const name of names) {
    // oxlint-disable-next-line no-await-in-loop -- one descriptor for each level
    const isFolder = await inFolder(folder, name, parameter, (child) =>
      deleteNames(child, parameter),
    )
    if (isFolder) rmdirSync(folder.child(name))
    else unlinkSync(folder.child(name))
  }
}

/** Holds a folder by its name in another one while work is done in it; false where the name is no folder. */
async function inFolder(
  parent: Entry,
  name: string,
  parameter: string,
  work: (folder: Entry) => Promise<void>,
): Promise<boolean> {
  if (!lstatSync(parent.child(name)).isDirectory()) return false
  const folder = openChild(parent, name, parameter)
  try {
    await work(folder)
    return true
  } finally {
    folder.close()
  }
}
