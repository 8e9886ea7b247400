import { createHash, randomBytes } from 'node:crypto'
import { hostname } from 'node:os'

// Whose file it is can be told from its name: containers that share a folder have the same process numbers.
const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8)
const form = /^\.callgate-([0-9a-f]{8})-(\d{1,10})-[0-9a-f]{16}\.tmp$/

/** Matches the names of {@link newTempName}, for ripgrep. */
export const tempGlob = '.callgate-*.tmp'

const inUse = new Set<string>()

/** A name for a file that is about to be written; in use until it is released. */
export function newTempName(): string {
  const name = `.callgate-${host}-${process.pid}-${randomBytes(8).toString('hex')}.tmp`
  inUse.add(name)
  return name
}

export function releaseTempName(name: string): void {
  inUse.delete(name)
}

/** What is known of a file by its name: ours, somebody's who is alive or not, or nothing. */
export function ownerOf(name: string): 'none' | 'alive' | 'dead' | 'other-host' {
  const [, owner, pid] = form.exec(name) ?? []
  if (owner === undefined) return 'none'
  if (owner !== host) return 'other-host'
  if (Number(pid) === process.pid) return inUse.has(name) ? 'alive' : 'dead'
  return isAlive(Number(pid)) ? 'alive' : 'dead'
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
