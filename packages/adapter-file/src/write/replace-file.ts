import {
  close,
  closeSync,
  constants,
  fchmod,
  fchown,
  fsync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  write,
  type Stats,
} from 'node:fs'
import { promisify } from 'node:util'

import type { Entry } from '../guard/entry.ts'
import type { Spot } from '../guard/parent.ts'
import { throwIfAborted } from '../guard/refuse.ts'
import { codeOf, systemError } from '../guard/system-error.ts'
import { withFileLock } from './file-lock.ts'
import { newTempName, releaseTempName } from './temp-name.ts'

const closeAsync = promisify(close)
const chmodAsync = promisify(fchmod)
const chownAsync = promisify(fchown)
const fsyncAsync = promisify(fsync)
const writeAsync = promisify(write)

const newFileMode = 0o600

/** What must still hold at the moment when the new file gets its name. */
export interface Condition {
  /** Looks once more, and throws where somebody else changed what is there. */
  readonly confirm?: () => void
  /** Whatever came to be there meanwhile stays. Default: it is replaced. */
  readonly replace?: boolean
}

/**
 * Puts a file in its place as a whole: whoever reads, and whatever ends this process, sees the old or the new content
 * (C7). The new file is made in the same folder, which is held, and the name is given to it at the end.
 *
 * Takes the spot, the file that is there now or undefined, the content in pieces, and what must hold at the end.
 *
 * @throws ToolError `cancelled` when the signal stops it in time, what `confirm` throws, or for what the file system says.
 */
export async function replaceFile(
  spot: Spot,
  before: Stats | undefined,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  signal: AbortSignal,
  { confirm, replace = true }: Condition = {},
): Promise<void> {
  const { folder, name, parameter } = spot
  const temp = newTempName()
  try {
    await writeTemp(folder, temp, before, content, signal)
    throwIfAborted(signal)
    const put = (): void => {
      // Nothing of this process comes between the last look and the name.
      confirm?.()
      putAt(folder.child(temp), folder.child(name), replace)
    }
    // What replaces nothing takes nothing from others.
    await (replace ? withFileLock(spot, signal, put) : put())
  } catch (error) {
    removeTemp(folder, temp)
    throw systemError(error, parameter, 'no')
  } finally {
    releaseTempName(temp)
  }
  await syncFolder(folder)
}

/**
 * Gives a file another name, at once; without `replace` it fails with EEXIST where there is something, also what came a
 * moment before, as far as the file system knows hard links.
 */
export function putAt(from: string | Buffer, to: string | Buffer, replace: boolean): void {
  if (replace) return renameSync(from, to)
  try {
    linkSync(from, to)
  } catch (error) {
    // Without hard links, or where they are not for everybody, the look before has to do.
    if (!unlinkable.has(codeOf(error) ?? '') || lstatSync(to, { throwIfNoEntry: false }))
      throw error
    return renameSync(from, to)
  }
  try {
    unlinkSync(from)
  } catch (error) {
    // It was given the name, and could not be taken the old one: all as it was.
    unlinkSync(to)
    throw error
  }
}

const unlinkable: ReadonlySet<string> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EACCES',
])

async function writeTemp(
  folder: Entry,
  temp: string,
  before: Stats | undefined,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants
  const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
  const fd = openSync(folder.child(temp), flags, newFileMode)
  try {
    for await (const piece of content) {
      throwIfAborted(signal)
      await writeAll(fd, piece)
    }
    if (before !== undefined) await keepOwnerAndMode(fd, before)
    await fsyncAsync(fd)
  } finally {
    await closeAsync(fd)
  }
}

async function writeAll(fd: number, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    at += (await writeAsync(fd, bytes, at, bytes.length - at)).bytesWritten
  }
}

async function keepOwnerAndMode(fd: number, { uid, gid, mode }: Stats): Promise<void> {
  const isOwn = uid === process.getuid?.() && gid === process.getgid?.()
  // Only root may give files away; for the others the file becomes theirs, as with every editor.
  if (!isOwn) await chownAsync(fd, uid, gid).catch(ignoreEperm)
  await chmodAsync(fd, mode & 0o7777)
}

function ignoreEperm(error: unknown): void {
  if (codeOf(error) !== 'EPERM') throw error
}

function removeTemp(folder: Entry, temp: string): void {
  try {
    unlinkSync(folder.child(temp))
  } catch {
    // It was never made, or it has its name already, or the next start takes it away.
  }
}

/** Makes names that were given or taken away outlive a power cut, where the file system can. */
export async function syncFolder(folder: Entry): Promise<void> {
  if (process.platform === 'win32') return
  try {
    const fd = folder.open(constants.O_RDONLY)
    try {
      await fsyncAsync(fd)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    // A folder that may not be listed, or a file system that has no such thing: the change is made all the same.
    if (!unsyncable.has(codeOf(error) ?? '')) throw error
  }
}

const unsyncable: ReadonlySet<string> = new Set(['EACCES', 'EINVAL', 'ENOTSUP', 'EPERM'])
