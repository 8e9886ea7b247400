import { readlinkSync, renameSync, symlinkSync, unlinkSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

import type { Entry } from '../guard/entry.ts'
import type { Spot } from '../guard/parent.ts'
import { throwIfAborted } from '../guard/refuse.ts'
import { codeOf } from '../guard/system-error.ts'
import { lockKey } from './change-file.ts'
import { lockNameOf, newTempName, ownerOf, releaseTempName } from './temp-name.ts'

/**
 * A lock is held for microseconds, or for the reading of a file of `editBytes` that somebody touched, tens of
 * milliseconds; who holds it for so many looks of others is stopped, or on a dead host.
 */
const maxLooks = 500
const pauseMs = 2

/**
 * Does something at once with a file while no other process does so through this package: a last look and the renaming
 * are one step for all of them, and no deletion or moving away comes between (C8).
 *
 * The lock is a link beside the file that leads nowhere, and whose text says who made it. To make a link is one step, and
 * neither that nor reading it opens anything. What a process that was killed left there is taken over by one of those who
 * find it. Where there are no links, and where what was left may not be taken away, the work is done without a lock.
 *
 * @throws ToolError `cancelled` when the signal stops the waiting, and what the work throws.
 */
export function withFileLock(
  { folder, name }: Spot,
  signal: AbortSignal,
  work: () => void | Promise<void>,
): Promise<void> {
  return withLock(folder, lockNameOf(name), signal, work)
}

/** The same with several files, whose locks all take in one order, so that no two wait for each other. */
export async function withFileLocks(
  spots: readonly Spot[],
  signal: AbortSignal,
  work: () => void,
): Promise<void> {
  const byKey = new Map(spots.map((spot) => [lockKey(spot), spot]))
  const keys = [...byKey.keys()].toSorted()
  const withRest = async (): Promise<void> => {
    const spot = byKey.get(keys.shift() ?? '')
    return spot ? withFileLock(spot, signal, withRest) : work()
  }
  return withRest()
}

/** The same with a lock by its name; one that was left is taken over, and then gone. */
export async function withLock(
  folder: Entry,
  lockName: string,
  signal: AbortSignal,
  work: () => void | Promise<void>,
): Promise<void> {
  const owner = newTempName()
  try {
    await take({ folder, owner, signal }, lockName)
    await work()
  } finally {
    release(folder.child(lockName), owner)
    releaseTempName(owner)
  }
}

interface Taker {
  readonly folder: Entry
  readonly owner: string
  readonly signal: AbortSignal
}

/** Gives back false where there can be no lock, or none of ours. */
async function take(taker: Taker, lockName: string): Promise<boolean> {
  const { folder, owner, signal } = taker
  const lock = folder.child(lockName)
  let last: string | undefined
  for (let looks = 0; ; looks += 1) {
    const holder = holderAfterTrying(lock, owner)
    if (holder === owner) return true
    if (holder === 'nobody') return false
    if (holder !== last) looks = 0
    last = holder
    const isLeft = looks >= maxLooks || ownerOf(holder, Infinity) === 'dead'
    // oxlint-disable-next-line no-await-in-loop -- looks again and again
    if (isLeft && !(await takeOver(taker, lockName, holder))) return false
    // oxlint-disable-next-line no-await-in-loop
    await setTimeout(pauseMs)
    throwIfAborted(signal)
  }
}

/**
 * Puts our lock in the place of one that was left, which the next look finds. Were it taken away first, a second who
 * finds it left could take away that of the first, so this is done by who has a lock on doing it, named for the lock
 * and its holder, and still finds that holder then.
 *
 * Gives back false where what was left may not be replaced.
 */
async function takeOver(taker: Taker, lockName: string, holder: string): Promise<boolean> {
  const { folder, owner } = taker
  const ownName = lockNameOf(`${lockName} ${holder}`)
  if (!(await take(taker, ownName))) return false
  const [own, lock] = [folder.child(ownName), folder.child(lockName)]
  try {
    if (holderOf(lock) === holder) renameSync(own, lock)
    return true
  } catch (error) {
    // Another took it over from us, who were stopped for long.
    return codeOf(error) === 'ENOENT'
  } finally {
    release(own, owner)
  }
}

/** Who never had it has nothing to release, nor who was stopped for long and lost it to another. */
function release(lock: string | Buffer, owner: string): void {
  if (holderOf(lock) === owner) unlinkIfPermitted(lock)
}

/** Who has the lock: the owner, if it was free; nobody, if none can be made or something else has its name. */
function holderAfterTrying(lock: string | Buffer, owner: string): string {
  try {
    symlinkSync(owner, lock)
    return owner
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') return 'nobody'
  }
  return holderOf(lock)
}

/** What says who has a lock, for `ownerOf`; where there is none, or no link, a text that says so. */
export function holderOf(lock: string | Buffer): string {
  try {
    return readlinkSync(lock)
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? 'gone' : 'nobody'
  }
}

/** Whether it is there no more. */
export function unlinkIfPermitted(path: string | Buffer): boolean {
  try {
    unlinkSync(path)
    return true
  } catch (error) {
    return codeOf(error) === 'ENOENT'
  }
}
