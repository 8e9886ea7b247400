import { hash, randomBytes } from 'node:crypto'

import { isAlive, placeOfProcesses } from './processes.ts'

// Whose file it is can be told from its name, also among machines and containers that share a folder.
const host = digest(placeOfProcesses(), 8)
// Threads of one process, and copies of this package in it, have the same process number too.
const writer = randomBytes(4).toString('hex')
const lockPrefix = '.callgate-lock-'
const form = /^\.callgate-([0-9a-f]{8})-(\d{1,10})-([0-9a-f]{8})[0-9a-f]{8}\.tmp$/

/** Matches the names of {@link newTempName}, for ripgrep. */
export const tempGlob = '.callgate-*.tmp'

const inUse = new Set<string>()

/** A name for a file that is about to be written; in use until it is released. */
export function newTempName(): string {
  const name = `.callgate-${host}-${process.pid}-${writer}${randomBytes(4).toString('hex')}.tmp`
  inUse.add(name)
  return name
}

/** The name of the lock of a file, the same for all processes, and for names that some file systems take for one. */
export function lockNameOf(name: string): string {
  const folded = name.normalize('NFC').toLowerCase()
  return `${lockPrefix}${digest(folded, 16)}.tmp`
}

/** Whether a name is one of {@link lockNameOf}; nothing else should begin so. */
export function isLockName(name: string): boolean {
  return name.startsWith(lockPrefix)
}

export function releaseTempName(name: string): void {
  inUse.delete(name)
}

/**
 * What is known of a file by its name and the time of its last change: ours, somebody's who is alive or not, of a host
 * whose processes cannot be seen, or nothing.
 */
export function ownerOf(name: string, changedMs: number): 'none' | 'alive' | 'dead' | 'other-host' {
  const [, owner, pid, author] = form.exec(name) ?? []
  if (owner === undefined) return 'none'
  if (owner !== host) return 'other-host'
  if (Number(pid) !== process.pid) return isAlive(Number(pid)) ? 'alive' : 'dead'
  if (author === writer) return inUse.has(name) ? 'alive' : 'dead'
  // Of another thread, or of a process that had the same number before this one started.
  const startedMs = Date.now() - process.uptime() * 1000
  return changedMs < startedMs ? 'dead' : 'alive'
}

function digest(text: string, digits: number): string {
  return hash('sha256', text, 'hex').slice(0, digits)
}
