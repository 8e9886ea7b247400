import { fstatSync, readdirSync, readlinkSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/**
 * What the kernel tells on Linux of this process and Node does not: open files, and event loops, of which each worker
 * thread has one. A thread does not look, since the others of its process do what they like meanwhile.
 */
export function openDescriptors(): readonly string[] {
  return isMainThread ? numbers().flatMap(kindOf) : []
}

function numbers(): readonly number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number)
  } catch {
    return []
  }
}

/** Connections are left out, since a pool keeps them for a while for the next call of anybody. */
function kindOf(fd: number): readonly string[] {
  try {
    const place = readlinkSync(`/proc/self/fd/${fd}`)
    if (place === 'anon_inode:[eventpoll]') return ['worker thread']
    return fstatSync(fd).isFile() ? [`open file ${place}`] : []
  } catch {
    // Closed meanwhile.
    return []
  }
}
