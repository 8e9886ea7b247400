import { readlinkSync, symlinkSync, unlinkSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

import type { Spot } from '../guard/parent.ts'
import { throwIfAborted } from '../guard/refuse.ts'
import { codeOf } from '../guard/system-error.ts'
import { lockNameOf, newTempName, ownerOf, releaseTempName } from './temp-name.ts'

/**
 * A lock is held for microseconds, or for the reading of a file of `editBytes` that somebody touched, tens of
 * milliseconds; who holds it for so many looks of others is stopped, or on a dead host.
 */
const maxLooks = 500
const pauseMs = 2

/**
 * Does something at once with a file while no other process does so through this package: a last look and the renaming
 * are one step for all of them, and no deletion comes between (C8).
 *
 * The lock is a link beside the file that leads nowhere, and whose text says who made it. To make a link is one step, and
 * neither that nor reading it opens anything. What a process that was killed left there is taken over; only two that
 * do so in the same microseconds would both have it. Where there are no links, and where what was left may not be taken
 * away, the work is done without a lock.
 *
 * @throws ToolError `cancelled` when the signal stops the waiting, and what the work throws.
 */
export async function withFileLock(
  { folder, name }: Spot,
  signal: AbortSignal,
  work: () => void,
): Promise<void> {
  const lock = folder.child(lockNameOf(name))
  const owner = newTempName()
  try {
    const isTaken = await take(lock, owner, signal)
    try {
      work()
    } finally {
      // Who was stopped for long may have lost it to another.
      if (isTaken && holderOf(lock) === owner) unlinkIfPermitted(lock)
    }
  } finally {
    releaseTempName(owner)
  }
}

/** Gives back false where there can be no lock, or none of ours. */
async function take(lock: string | Buffer, owner: string, signal: AbortSignal): Promise<boolean> {
  let last: string | undefined
  for (let looks = 0; ; looks += 1) {
    const holder = holderAfterTrying(lock, owner)
    if (holder === owner) return true
    if (holder === 'nobody') return false
    if (holder !== last) looks = 0
    last = holder
    const isLeft = looks >= maxLooks || ownerOf(holder, Infinity) === 'dead'
    if (isLeft && !unlinkIfPermitted(lock)) return false
    // oxlint-disable-next-line no-await-in-loop -- looks again and again
    await setTimeout(pauseMs)
    throwIfAborted(signal)
  }
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
