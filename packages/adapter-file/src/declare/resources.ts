import type { Operation } from '../operations/operation.ts'
import { parsePath } from '../path/parse-path.ts'
import type { Root } from '../roots/root.ts'
import { normalizePath } from './normalize-path.ts'

interface Resources {
  readonly read?: readonly string[]
  readonly write?: readonly string[]
}

/**
 * What a call touches, so that calls for different files run at the same time.
 *
 * Undefined, which means alone, where that cannot be told: a path that will be refused, or a root with links, in which
 * one file has several paths.
 */
export function resourcesOf(
  operation: Operation,
  roots: readonly Root[],
  args: unknown,
): Resources | undefined {
  const given = (args ?? {}) as { readonly [name: string]: unknown }
  const root = roots.find(({ name }) => name === (given['root'] ?? roots[0]?.name))
  if (root === undefined || root.links === 'inside') return undefined
  const read: string[] = []
  const write: string[] = []
  for (const [parameter, access] of Object.entries(operation.paths)) {
    const resource = resourceOf(root, given[parameter] ?? '.', parameter)
    if (access === 'read') read.push(resource)
    else write.push(resource)
  }
  return { read, write }
}

/** Two roots may overlap, so the place on the host counts; case is left out, as some file systems leave it out. */
function resourceOf(root: Root, path: unknown, parameter: string): string {
  const { parts } = parsePath(root.normalizePath ? normalizePath(root, path) : path, parameter)
  const place = [...root.declaredPath.split(/[\\/]+/), ...parts].join('/')
  return `file:${place.normalize('NFC').toLowerCase()}`
}
