import { access, constants } from 'node:fs/promises'

import type { Root } from './roots/root.ts'

type Health = { readonly state: 'ok' | 'degraded' | 'down'; readonly reason?: string }

/** Whether the roots are there and permit what is declared; looks, and changes nothing (A13). */
export async function healthOf(roots: ReadonlyMap<string, Root>): Promise<Health> {
  const faults = await Promise.all([...roots.values()].map(faultOf))
  const reasons = faults.filter((fault) => fault !== undefined)
  if (reasons.length === 0) return { state: 'ok' }
  const state = reasons.length === roots.size ? 'down' : 'degraded'
  return { state, reason: reasons.join('; ') }
}

async function faultOf({ name, read, write, declaredPath }: Root): Promise<string | undefined> {
  const { R_OK, W_OK, X_OK } = constants
  try {
    await access(declaredPath, X_OK | (read ? R_OK : 0) | (write ? W_OK : 0))
    return undefined
  } catch {
    return `the root "${name}" is not there or not ${write ? 'writable' : 'readable'}`
  }
}
