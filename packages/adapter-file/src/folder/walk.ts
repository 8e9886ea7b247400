import { lstatSync, type Stats } from 'node:fs'

import { ToolError } from '@callgate/spec'

import type { Entry } from '../guard/entry.ts'
import { openChild } from '../guard/locate.ts'
import { throwIfAborted } from '../guard/refuse.ts'
import { codeOf } from '../guard/system-error.ts'
import type { Root } from '../roots/root.ts'
import { namesIn } from './names.ts'

/** Something in a folder; links are told as links and not followed. */
export interface Found {
  readonly parts: readonly string[]
  readonly type: 'file' | 'folder' | 'link' | 'other'
  readonly stat: Stats
}

export interface WalkOptions {
  readonly root: Root
  /** Levels below the folder; 1 is what is in it. */
  readonly depth: number
  readonly signal: AbortSignal
  /** Names of one folder that are looked at. */
  readonly maxNames: number
  /** Whether to show and to enter it. */
  readonly wants: (name: string) => boolean
}

/**
 * What is in a folder and below it, each folder before what is in it, sorted by name. Denied paths are left out.
 *
 * Every folder on the way is held and entered by name from the one above, so that nobody can lead the walk away.
 * Gives back whether it saw all names of each folder down to the depth.
 */
export async function* walk(
  folder: Entry,
  parts: readonly string[],
  options: WalkOptions,
): AsyncGenerator<Found, boolean> {
  const { names, isWhole } = await namesIn(folder, options.maxNames, options.signal)
  let sawAll = isWhole
  for (const name of names) {
    throwIfAborted(options.signal)
    const found = options.wants(name) ? look(folder, [...parts, name], options.root) : undefined
    if (found === undefined) continue
    yield found
    if (found.type !== 'folder' || options.depth <= 1) continue
    const child = enter(folder, name)
    if (child === undefined) continue
    try {
      sawAll = (yield* walk(child, found.parts, { ...options, depth: options.depth - 1 })) && sawAll
    } catch (error) {
      // It may not be listed: it is shown, and not what is in it.
      if (codeOf(error) === undefined) throw error
    } finally {
      child.close()
    }
  }
  return sawAll
}

function look(folder: Entry, parts: readonly string[], root: Root): Found | undefined {
  if (root.isDenied(parts)) return undefined
  const stat = lstatSync(folder.child(parts.at(-1) ?? ''), { throwIfNoEntry: false })
  return stat === undefined ? undefined : { parts, stat, type: typeOf(stat) }
}

function typeOf(stat: Stats): Found['type'] {
  if (stat.isFile()) return 'file'
  if (stat.isDirectory()) return 'folder'
  return stat.isSymbolicLink() ? 'link' : 'other'
}

/** Undefined when it was taken away or exchanged meanwhile, or belongs to the kernel. */
function enter(folder: Entry, name: string): Entry | undefined {
  try {
    return openChild(folder, name, 'path')
  } catch (error) {
    if (ToolError.isInstance(error)) return undefined
    throw error
  }
}
