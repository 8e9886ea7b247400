import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { basename, delimiter, isAbsolute, join } from 'node:path'

/** What a file is: compared again before each run, so that a file put in its place is noticed. */
export interface FileIdentity {
  readonly realPath: string
  readonly device: number
  readonly inode: number
  readonly size: number
  readonly modifiedMs: number
}

export interface Program {
  /** As declared. */
  readonly name: string
  /** Absolute; may be a link, since some programs go by the name they are called. */
  readonly path: string
  readonly identity: FileIdentity
}

/** Finds a program by name in a search path, or by absolute path. Reads the disk. */
export function findProgram(name: string, searchPath: string): Program | undefined {
  const suffixes = process.platform === 'win32' ? ['', '.exe', '.com'] : ['']
  const folders = isAbsolute(name) ? [''] : searchPath.split(delimiter).filter(isAbsolute)
  for (const folder of folders) {
    for (const suffix of suffixes) {
      const path = folder === '' ? name + suffix : join(folder, name + suffix)
      if (isExecutable(path)) return { name, path, identity: identityOf(path) }
    }
  }
  return undefined
}

/** @throws the system's error when the file is not there. */
export function identityOf(path: string): FileIdentity {
  const realPath = realpathSync.native(path)
  const { dev, ino, size, mtimeMs } = statSync(realPath)
  return { realPath, device: dev, inode: ino, size, modifiedMs: mtimeMs }
}

export function sameFile(one: FileIdentity, other: FileIdentity): boolean {
  return (
    one.realPath === other.realPath &&
    one.device === other.device &&
    one.inode === other.inode &&
    one.size === other.size &&
    one.modifiedMs === other.modifiedMs
  )
}

/**
 * Whether the name that a program is called by says what it does, and the file behind it does not: files that hold many
 * programs, such as that of Alpine Linux.
 */
export function goesByName({ path, identity }: Program): boolean {
  const file = basename(identity.realPath)
  return /^(busybox|toybox|coreutils)([.-]|$)/.test(file) && basename(path) !== file
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
