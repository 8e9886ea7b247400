import { fstatSync, readdirSync, readlinkSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/** What is open: what it is counted by, and what it is called in a message. */
export interface Descriptor {
  readonly id: string
  readonly kind: string
}

/**
 * What the kernel tells on Linux of this process and Node does not: open files, and event loops, of which each thread
 * that runs scripts has one (a worker, the hooks of `module.register`). A thread does not look, since the others of its
 * process do what they like meanwhile.
 */
export function openDescriptors(): readonly Descriptor[] {
  return isMainThread ? numbers().flatMap(describe) : []
}

function numbers(): readonly number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number)
  } catch {
    return []
  }
}

const loop = 'thread with an event loop'

/**
 * Connections are left out, since a pool keeps them for a while for the next call of anybody. A file is the same one,
 * whatever it is renamed to and though it is removed.
 */
function describe(fd: number): readonly Descriptor[] {
  try {
    const place = readlinkSync(`/proc/self/fd/${fd}`)
    if (place === 'anon_inode:[eventpoll]') return [{ id: loop, kind: loop }]
    const stats = fstatSync(fd, { bigint: true })
    if (!stats.isFile()) return []
    return [{ id: `file ${stats.dev}:${stats.ino}`, kind: `open file ${place}` }]
  } catch {
    // Closed meanwhile.
    return []
  }
}
