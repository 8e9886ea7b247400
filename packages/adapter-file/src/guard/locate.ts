import { lstatSync, statSync, type Stats } from 'node:fs'

import { ToolError } from '@callgate/spec'

import type { RelativePath } from '../path/parse-path.ts'
import { hostPath, isKernelPath, placeOf, type Root } from '../roots/root.ts'
import type { Entry } from './entry.ts'
import { followLinks } from './follow-links.ts'
import { anchored, openEntry } from './open-entry.ts'
import { fail, refuse } from './refuse.ts'
import { systemError } from './system-error.ts'

/**
 * Holds what a path below a root names, after it was seen to lie there (C2, C4).
 *
 * Takes the root, the path and the name of the parameter it came in. Only files and folders come back; the caller closes
 * the entry.
 *
 * @throws ToolError `guard_refused` (proc-sys-dev, deny-glob, symlink, special-file) or `tool_failed` (not-found, …).
 */
export function locate(root: Root, path: RelativePath, parameter: string): Entry {
  checkDeclared(root, path.parts, parameter)
  const parts = root.links === 'inside' ? followLinks(root, path.parts, parameter) : path.parts
  if (parts !== path.parts) checkDeclared(root, parts, parameter)
  return openStrictly(root, parts, parameter)
}

/** What the declaration of the root says about a path, before anything is looked at. */
export function checkDeclared(root: Root, parts: readonly string[], parameter: string): void {
  if (isKernelPath(placeOf(root, parts))) {
    refuse('proc-sys-dev', parameter, `"${parameter}" may not lie in /proc, /sys or /dev.`)
  }
  if (root.isDenied(parts)) {
    refuse('deny-glob', parameter, `"${parameter}" is denied in the root "${root.name}".`)
  }
}

/** Each look fails only where somebody comes in between, so that so many in a row do not fail by chance. */
export const maxLooks = 32

/** What a look says that came in the moment in which somebody gave the name to another file. */
const passing: ReadonlySet<string | undefined> = new Set(['symlink', 'not-found', 'ELOOP'])

/**
 * Holds what lies at exactly this place, with no link on the way.
 *
 * What was replaced between the opening and the question where it lies is looked for anew, unless a link is there: each
 * look decides alone, so that nobody gains anything by a swap.
 */
export function openStrictly(root: Root, parts: readonly string[], parameter: string): Entry {
  for (let looks = 1; ; looks += 1) {
    try {
      return openOnce(root, parts, parameter)
    } catch (error) {
      if (!ToolError.isInstance(error) || isOfKind(error)) throw error
      const seen = lookOnTheWay(root, parts)
      // Where it led is said already, which says more than where the link is.
      if (seen.link !== undefined && error.rule !== 'symlink') {
        refuseLink(parameter, `${seen.link} is a link.`)
      }
      if (!seen.isThere || !passing.has(error.rule) || looks === maxLooks) throw error
    }
  }
}

/** What it is does not depend on the way to it. */
function isOfKind({ code, rule }: ToolError): boolean {
  return code === 'guard_refused' && rule !== 'symlink'
}

function openOnce(root: Root, parts: readonly string[], parameter: string): Entry {
  let entry: Entry
  try {
    entry = openEntry(hostPath(root, parts))
  } catch (error) {
    throw systemError(error, parameter, 'no')
  }
  try {
    checkEntry(entry, parameter)
    checkPlace(entry, root, parts, parameter)
    return entry
  } catch (error) {
    entry.close()
    throw error
  }
}

/** Holds a name in a folder that is held itself. */
export function openChild(folder: Entry, name: string, parameter: string): Entry {
  let entry: Entry
  try {
    entry = openEntry(folder.child(name))
  } catch (error) {
    throw systemError(error, parameter, 'no')
  }
  try {
    checkEntry(entry, parameter)
    return entry
  } catch (error) {
    entry.close()
    throw error
  }
}

function checkEntry({ stat }: Entry, parameter: string): void {
  checkNoLink(stat, parameter)
  if (!stat.isFile() && !stat.isDirectory()) {
    refuse('special-file', parameter, `"${parameter}" is a pipe, socket or device.`)
  }
  if (kernelDevices().has(stat.dev)) {
    refuse('proc-sys-dev', parameter, `"${parameter}" may not lie in /proc, /sys or /dev.`)
  }
}

function checkPlace(entry: Entry, root: Root, parts: readonly string[], parameter: string): void {
  if (isSamePlace(entry.place(), placeOf(root, parts))) return
  // Between the look-up and the question where it lies it was deleted.
  if (anchored && entry.stat.isFile() && entry.stat.nlink === 0) {
    fail('not-found', parameter, 'There is no such file or folder.')
  }
  refuseLink(parameter, `${placeOf(root, parts)} lies at ${entry.place()}.`)
}

function isSamePlace(one: string, other: string): boolean {
  if (one === other) return true
  // Where names are compared without case, the disk's own spelling comes back.
  return !anchored && fold(one) === fold(other)
}

function fold(path: string): string {
  return path.normalize('NFC').toLowerCase()
}

export function checkNoLink(stat: Stats, parameter: string): void {
  if (stat.isSymbolicLink()) refuseLink(parameter)
}

function refuseLink(parameter: string, reason?: string): never {
  return refuse('symlink', parameter, `"${parameter}" leads through a symbolic link.`, reason)
}

/** After a failure: whether something is at the place, with no link on the way; else the link, if it was one. */
function lookOnTheWay(
  root: Root,
  parts: readonly string[],
): { readonly isThere: boolean; readonly link?: string } {
  for (let count = 1; count <= parts.length; count += 1) {
    const path = hostPath(root, parts.slice(0, count))
    let stat: Stats | undefined
    try {
      stat = lstatSync(path, { throwIfNoEntry: false })
    } catch {
      return { isThere: false }
    }
    if (stat === undefined) return { isThere: false }
    if (stat.isSymbolicLink()) return { isThere: false, link: path.toString() }
  }
  return { isThere: true }
}

let devices: ReadonlySet<number> | undefined

/** The file systems of the kernel, wherever else they are mounted. */
function kernelDevices(): ReadonlySet<number> {
  devices ??= new Set(
    ['/proc', '/sys'].flatMap((path) => {
      const stat = anchored ? statSync(path, { throwIfNoEntry: false }) : undefined
      const isMounted = stat !== undefined && stat.dev !== statSync('/').dev
      return isMounted ? [stat.dev] : []
    }),
  )
  return devices
}
