import { lstatSync, mkdirSync, type Stats } from 'node:fs'

import { ToolError } from '@callgate/spec'

import type { RelativePath } from '../path/parse-path.ts'
import type { Root } from '../roots/root.ts'
import type { Entry } from './entry.ts'
import { followLinks } from './follow-links.ts'
import { checkDeclared, openChild, openStrictly } from './locate.ts'
import { fail, refuse } from './refuse.ts'
import { codeOf, systemError } from './system-error.ts'

/** A name in a folder that is held: where something is made, replaced or taken away. */
export interface Spot {
  readonly folder: Entry
  readonly name: string
  /** The parameter that the path came in. */
  readonly parameter: string
  /** All names below the root, links followed. */
  readonly parts: readonly string[]
  /** What is there now, links not followed; undefined for nothing. */
  look(): Stats | undefined
}

export interface SpotOptions {
  readonly root: Root
  readonly path: RelativePath
  readonly parameter: string
  /** Missing folders on the way are made. */
  readonly create?: boolean
  /** A link at the end is meant itself. Default: it is followed where the root permits links. */
  readonly linkItself?: boolean
}

/**
 * Holds the folder in which a path ends. The caller closes `folder`.
 *
 * @throws ToolError as {@link locate}, and `guard_refused` with the rule root for the root itself.
 */
export function openSpot(options: SpotOptions): Spot {
  const { root, path, parameter } = options
  checkWritable(root, path, parameter)
  checkDeclared(root, path.parts, parameter)
  const parts = targetOf(options)
  if (parts !== path.parts) checkDeclared(root, parts, parameter)
  const name = parts.at(-1)
  if (name === undefined) return refuse('root', parameter, 'The root itself stays as it is.')
  const folder = openFolder(root, parts.slice(0, -1), parameter, options.create === true)
  return {
    folder,
    name,
    parameter,
    parts,
    look() {
      try {
        return lstatSync(folder.child(name), { throwIfNoEntry: false })
      } catch (error) {
        throw systemError(error, parameter, 'no')
      }
    },
  }
}

function checkWritable(root: Root, path: RelativePath, parameter: string): void {
  if (!root.write) refuse('read-only', parameter, `The root "${root.name}" is read-only.`)
  if (path.parts.length === 0) refuse('root', parameter, 'The root itself stays as it is.')
}

function targetOf({ root, path, parameter, linkItself }: SpotOptions): readonly string[] {
  const { parts } = path
  if (root.links === 'deny') return parts
  if (linkItself !== true) return followLinks(root, parts, parameter)
  return [...followLinks(root, parts.slice(0, -1), parameter), ...parts.slice(-1)]
}

/** Holds a folder; with `create` it and those above it are made where they are missing. */
export function openFolder(
  root: Root,
  parts: readonly string[],
  parameter: string,
  create: boolean,
): Entry {
  try {
    return asFolder(openStrictly(root, parts, parameter), parameter)
  } catch (error) {
    const isMissing = ToolError.isInstance(error) && error.rule === 'not-found'
    if (!create || !isMissing) throw error
    return makeFolders(root, parts, parameter)
  }
}

/** Goes from folder to folder, each held while the next is made in it. */
function makeFolders(root: Root, parts: readonly string[], parameter: string): Entry {
  let folder = openStrictly(root, [], parameter)
  for (const name of parts) {
    const parent = folder
    try {
      makeFolder(parent, name)
      folder = asFolder(openChild(parent, name, parameter), parameter)
    } catch (error) {
      throw systemError(error, parameter, 'unknown')
    } finally {
      parent.close()
    }
  }
  return folder
}

function makeFolder(parent: Entry, name: string): void {
  try {
    mkdirSync(parent.child(name))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

function asFolder(entry: Entry, parameter: string): Entry {
  if (entry.stat.isDirectory()) return entry
  entry.close()
  return fail('not-a-folder', parameter, 'A part of the path is no folder.')
}
